import { element, icon } from './dom';

/** What stands in place of a picture: that it is coming, or why it is not. */
export class Notice {
  readonly root = element('div', { class: 'notice', role: 'status' });
  readonly #onAction: (name: 'restart' | 'showLog') => void;
  #failure: string | null = null;

  constructor(onAction: (name: 'restart' | 'showLog') => void) {
    this.#onAction = onAction;
  }

  get failure(): string | null {
    return this.#failure;
  }

  waiting(text: string): void {
    this.#failure = null;
    this.#show(icon('loading'), element('p', {}, text));
    this.root.classList.remove('failed');
  }

  failed(message: string, nextStep: string): void {
    this.#failure = message;
    this.#show(icon('error'), element('p', {}, message), element('p', { class: 'next-step' }, nextStep), this.#actions());
    this.root.classList.add('failed');
  }

  hide(): void {
    this.#failure = null;
    this.root.hidden = true;
  }

  #show(...content: HTMLElement[]): void {
    this.root.replaceChildren(...content);
    this.root.hidden = false;
  }

  #actions(): HTMLElement {
    const button = (label: string, name: 'restart' | 'showLog', kind: string) => {
      const created = element('button', { type: 'button', class: `text-button ${kind}` }, label);
      created.addEventListener('click', () => this.#onAction(name));
      return created;
    };
    return element('div', { class: 'actions' }, button('Restart', 'restart', 'primary'), button('Show Log', 'showLog', 'secondary'));
  }
}
