import type { FrameInfo } from '../../../helper/protocol/frames';
import { element } from '../shared/dom';
import { anomalies, formatCount, formatScale } from './describe';
import type { Feature, Panel } from './feature';

/** The line below the picture: what it is, what is wrong with it, how fast it moves, where it comes from. Wraps in a narrow panel. */
export class StatusLine implements Feature {
  readonly root: HTMLElement;
  readonly #panel: Panel;
  readonly #items = Object.fromEntries(names.map((name) => [name, element('span', { class: name })])) as Record<Name, HTMLElement>;
  #dropped = 0;

  constructor(panel: Panel) {
    this.#panel = panel;
    // Changes with every picture: screen readers get the picture's description and the live region instead.
    this.root = element('footer', { class: 'status', 'aria-hidden': 'true', hidden: true }, ...names.map((name) => this.#items[name]));
  }

  changed(): void {
    const { source } = this.#panel.session;
    if (source) this.#set('source', shortDevice(source.device), `${source.label}: ${source.device}`);
    this.moved();
  }

  moved(): void {
    this.#set('scale', formatScale(this.#panel.session.viewport.scale), 'Device pixels a texel');
  }

  numbersShown(info: FrameInfo): void {
    this.root.hidden = false;
    this.#dropped = info.dropped;
    this.#set('frame', `#${info.frame}`, `Frame ${info.frame} of ${info.output}${info.lossless ? ', without loss' : ''}`);
    this.#set('size', `${info.frameWidth}×${info.frameHeight}`, 'Size of the whole frame');
    this.#set('warning', anomalies(info.stats), 'Counted over the whole frame, also where it is not visible');
    this.#set('problem', info.problem ?? '', info.problem ?? '');
    const { recording } = info;
    this.#set('recorded', recording?.running ? `recording, ${formatCount(recording.written)} written` : '', recording?.folder ?? '');
  }

  setRate(perSecond: number): void {
    const text = this.#panel.state.paused ? 'paused' : `${Math.round(perSecond)} fps`;
    this.#set('rate', text, 'Pictures shown a second');
    this.#set('dropped', this.#dropped > 0 ? `${formatCount(this.#dropped)} dropped` : '', 'Frames of the source that this panel did not show');
  }

  #set(name: Name, text: string, title: string): void {
    const item = this.#items[name];
    if (item.textContent !== text) item.textContent = text;
    item.title = title;
    item.hidden = text === '';
  }
}

/** Without what drivers add to a name in parentheses; the tooltip has it. */
function shortDevice(device: string): string {
  return device.replace(/ \([^()]*,[^()]*\)/g, '');
}

const names = ['frame', 'size', 'scale', 'rate', 'dropped', 'recorded', 'warning', 'problem', 'source'] as const;
type Name = (typeof names)[number];
