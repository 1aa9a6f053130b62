import { element, icon } from '../../shared/dom';
import type { Finding } from '../model/findings';

/** Sentences with what to do about them. Rebuilt only when one of them changes. */
export class FindingList {
  readonly root = element('ul', { class: 'findings', hidden: true });
  #shown = '';

  set findings(findings: Finding[]) {
    this.root.hidden = findings.length === 0;
    const shown = JSON.stringify(findings);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.root.replaceChildren(...findings.map(item));
  }
}

function item({ message, nextStep, detail, level }: Finding): HTMLElement {
  return element(
    'li',
    { class: level },
    icon(level === 'info' ? 'info' : level),
    element(
      'div',
      { class: 'words' },
      element('p', {}, message),
      ...(nextStep ? [element('p', { class: 'next' }, nextStep)] : []),
      ...(detail ? [element('p', { class: 'driver' }, detail)] : []),
    ),
  );
}
