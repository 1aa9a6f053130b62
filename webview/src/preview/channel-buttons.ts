import type { OutputDescription } from '../../../helper/protocol/frames';
import { element, press } from '../shared/dom';
import { channelNames, nextMask } from './channels';
import { ALL_CHANNELS, type Look } from './state';

/** One button a channel. A click switches it, a right click or Shift shows it alone. */
export class ChannelButtons {
  readonly root = element('span', { class: 'buttons channels', role: 'group', 'aria-label': 'Channels' });
  readonly #onChange: (mask: number) => void;
  #mask = ALL_CHANNELS;
  #names = '';

  constructor(onChange: (mask: number) => void) {
    this.#onChange = onChange;
  }

  update(output: OutputDescription, { channels, swapRb }: Pick<Look, 'channels' | 'swapRb'>): void {
    this.#mask = channels;
    const names = channelNames(output);
    if (names.join() !== this.#names) this.root.replaceChildren(...names.map((name, channel) => this.#button(name, channel)));
    this.#names = names.join();
    [...this.root.children].forEach((button, channel) => {
      press(button as HTMLElement, ((channels >> channel) & 1) === 1);
    });
    this.root.title = swapRb ? 'After the exchange of the first and the third channel' : '';
  }

  #button(name: string, channel: number): HTMLButtonElement {
    const title = `Channel ${name}. Right click or Shift+click shows it alone.`;
    const button = element('button', { type: 'button', class: `text-button channel-${name.toLowerCase()}`, title }, name);
    const click = (event: MouseEvent, solo: boolean) => {
      event.preventDefault();
      this.#onChange(nextMask(this.#mask, channel, solo));
    };
    button.addEventListener('click', (event) => click(event, event.shiftKey));
    button.addEventListener('contextmenu', (event) => click(event, true));
    return button;
  }
}
