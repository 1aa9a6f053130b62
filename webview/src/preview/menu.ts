import { element, icon } from '../shared/dom';

export interface MenuItem {
  icon: string;
  label: string;
  key?: string;
  run: () => void;
}

/** A button that drops a menu. Arrow keys move in it; Escape and a click elsewhere close it. */
export class Menu {
  readonly root: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #list: HTMLElement;

  constructor(label: string, iconName: string, items: MenuItem[]) {
    this.#button = element(
      'button',
      { type: 'button', class: 'icon-button', title: label, 'aria-label': label, 'aria-haspopup': 'menu', 'aria-expanded': 'false' },
      icon(iconName),
    );
    this.#list = element('div', { class: 'menu', role: 'menu', 'aria-label': label, popover: 'auto' }, ...items.map((item) => this.#item(item)));
    this.root = element('span', {}, this.#button, this.#list);
    this.#button.addEventListener('click', () => this.#list.togglePopover());
    this.#list.addEventListener('toggle', (event) => this.#toggled((event as ToggleEvent).newState === 'open'));
    this.#list.addEventListener('keydown', (event) => this.#move(event));
  }

  #item({ icon: name, label, key, run }: MenuItem): HTMLElement {
    const item = element(
      'button',
      { type: 'button', class: 'menu-item', role: 'menuitem', tabindex: '-1', 'aria-keyshortcuts': key },
      icon(name),
      element('span', {}, label),
      element('kbd', { hidden: key === undefined }, key ?? ''),
    );
    item.addEventListener('click', () => {
      this.#list.hidePopover();
      run();
    });
    return item;
  }

  #toggled(open: boolean): void {
    this.#button.setAttribute('aria-expanded', String(open));
    if (!open) return;
    const button = this.#button.getBoundingClientRect();
    const left = Math.min(button.left, document.documentElement.clientWidth - this.#list.offsetWidth - 4);
    Object.assign(this.#list.style, { left: `${Math.max(left, 4)}px`, top: `${button.bottom + 2}px` });
    (this.#list.firstElementChild as HTMLElement | null)?.focus();
  }

  #move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const items = [...this.#list.children] as HTMLElement[];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + step + items.length) % items.length]?.focus();
    event.preventDefault();
  }
}
