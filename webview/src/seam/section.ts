import { element } from '../shared/dom';

export function section(title: string, ...content: (Node | string)[]): HTMLElement {
  const id = `section-${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
  return element('section', { 'aria-labelledby': id }, element('h2', { id }, title), ...content);
}

/** A sentence below a heading. */
export function lead(text: string): HTMLElement {
  return element('p', { class: 'lead' }, text);
}

/** Folded away until it is wanted. */
export function folded(title: string, ...content: (Node | string)[]): HTMLElement {
  return element('section', {}, element('details', {}, element('summary', {}, element('h2', {}, title)), ...content));
}
