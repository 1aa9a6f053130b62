import type { DevicesAction, DevicesNotice } from '../../../../helper/protocol/devices-panel';
import { element, icon, textButton } from '../../shared/dom';

/** A line that says what stands between the user and fresh values, and what to do. */
export class NoticeView {
  readonly root = element('div', { class: 'notice-line', role: 'status', hidden: true });
  readonly #act: (name: DevicesAction) => void;
  #said = '';

  constructor(act: (name: DevicesAction) => void) {
    this.#act = act;
  }

  get text(): string {
    return this.root.hidden ? '' : this.#said;
  }

  set notice(notice: DevicesNotice | null) {
    this.root.hidden = notice === null;
    const said = notice ? `${notice.message} ${notice.nextStep}`.trim() : '';
    if (said === this.#said) return;
    this.#said = said;
    if (notice) this.#show(notice);
  }

  #show({ level, message, nextStep }: DevicesNotice): void {
    this.root.className = `notice-line ${level}`;
    this.root.replaceChildren(
      icon(level === 'error' ? 'error' : 'info'),
      element('div', { class: 'words' }, element('p', {}, message), ...(nextStep ? [element('p', { class: 'next' }, nextStep)] : [])),
      ...(level === 'error' ? this.#buttons() : []),
    );
  }

  #buttons(): HTMLElement[] {
    return [
      textButton('Try Again', 'Ask the drivers again', () => this.#act('refresh')),
      textButton('Show Log', "Show Seamscope's log", () => this.#act('showLog')),
    ];
  }
}
