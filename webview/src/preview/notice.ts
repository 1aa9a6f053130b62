import type { PanelAction } from '../../../helper/protocol/webview';
import { element, icon } from '../shared/dom';

export interface NoticeAction {
  label: string;
  run: () => void;
}

/** What stands in place of a picture: that it is coming, or why it is not. */
export class Notice {
  readonly root = element('div', { class: 'notice', role: 'status' });
  readonly #onAction: (name: PanelAction) => void;
  #failure: string | null = null;

  constructor(onAction: (name: PanelAction) => void) {
    this.#onAction = onAction;
  }

  get failure(): string | null {
    return this.#failure;
  }

  waiting(text: string, nextStep = '', actions: NoticeAction[] = []): void {
    this.#failure = null;
    this.#show([icon('loading'), element('p', {}, text), element('p', { class: 'next-step' }, nextStep)], actions);
    this.root.classList.remove('failed');
  }

  failed(message: string, nextStep: string): void {
    this.#failure = message;
    const actions = [
      { label: 'Restart', run: () => this.#onAction('restart') },
      { label: 'Show Log', run: () => this.#onAction('showLog') },
    ];
    this.#show([icon('error'), element('p', {}, message), element('p', { class: 'next-step' }, nextStep)], actions);
    this.root.classList.add('failed');
  }

  hide(): void {
    this.#failure = null;
    this.root.hidden = true;
  }

  #show(content: HTMLElement[], actions: NoticeAction[]): void {
    const buttons = actions.map(({ label, run }, at) => {
      const button = element('button', { type: 'button', class: `text-button ${at === 0 ? 'primary' : 'secondary'}` }, label);
      button.addEventListener('click', run);
      return button;
    });
    this.root.replaceChildren(...content.filter(({ textContent, classList }) => textContent || classList.contains('codicon')));
    if (buttons.length > 0) this.root.append(element('div', { class: 'actions' }, ...buttons));
    this.root.hidden = false;
  }
}
