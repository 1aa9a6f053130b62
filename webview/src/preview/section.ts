import { element, icon } from '../shared/dom';
import type { PanelState } from './state';

/** A foldable part of the inspector. */
export class Section {
  readonly root: HTMLElement;
  readonly #header: HTMLButtonElement;
  readonly #body: HTMLElement;
  readonly #summary = element('span', { class: 'summary' });
  readonly #onToggle: (open: boolean) => void;
  #open = false;

  /** `open` is how it starts as long as the user has not folded or opened it. */
  constructor(title: string, open: boolean, state: PanelState, remember: () => void, ...content: (Node | string)[]) {
    const id = `section-${title.toLowerCase().replace(/\W+/g, '-')}`;
    this.#header = element(
      'button',
      { type: 'button', class: 'section-header', 'aria-controls': id },
      icon('chevron-right'),
      element('span', { class: 'title' }, title),
      ' ',
      this.#summary,
    );
    this.#body = element('div', { id, class: 'section-body' }, ...content);
    this.root = element('section', { class: 'section', 'aria-label': title }, this.#header, this.#body);
    this.#onToggle = (now) => {
      state.sections[title] = now;
      remember();
    };
    this.#header.addEventListener('click', () => this.toggle());
    this.#set(state.sections[title] ?? open);
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** A few words that stay readable while it is folded. */
  set summary(text: string) {
    this.#summary.textContent = text;
  }

  toggle(open = !this.#open): void {
    this.#set(open);
    this.#onToggle(open);
  }

  #set(open: boolean): void {
    this.#open = open;
    this.#body.hidden = !open;
    this.#header.setAttribute('aria-expanded', String(open));
  }
}
