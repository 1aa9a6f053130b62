import { element, icon } from '../shared/dom';
import type { Feature, Panel } from './feature';
import { stateWords } from './source-words';

const icons = { info: 'info', warning: 'warning', error: 'error' };

/** A line over the picture while its source is not live: the picture stays, and nobody takes it for a new one. */
export class Banner implements Feature {
  readonly root = element('div', { class: 'banner', role: 'status', hidden: true });
  readonly #panel: Panel;
  #text = '';

  constructor(panel: Panel) {
    this.#panel = panel;
  }

  get text(): string {
    return this.root.hidden ? '' : this.#text;
  }

  changed(): void {
    const { source, output } = this.#panel.session;
    const words = source ? stateWords(source, output) : null;
    this.root.hidden = words === null;
    // The region is read aloud when it changes.
    if (!words || words.text === this.#text) return;
    this.#text = words.text;
    this.root.className = `banner ${words.level}`;
    this.root.replaceChildren(icon(icons[words.level]), element('span', {}, words.text));
  }
}
