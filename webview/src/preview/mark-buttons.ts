import type { FrameInfo } from '../../../helper/protocol/frames';
import { element, press } from '../shared/dom';
import { clippedShare } from './clipping';
import { formatCount } from './describe';
import type { Feature, Panel } from './feature';
import type { Marks } from './state';

const marks: { mark: keyof Marks; label: string; title: string }[] = [
  { mark: 'nan', label: 'NaN', title: 'Paint values that are not a number in red' },
  { mark: 'inf', label: 'Inf', title: 'Paint infinite values in green' },
  { mark: 'negative', label: 'Negative', title: 'Paint negative values in blue' },
  { mark: 'clipping', label: 'Clipped', title: 'Paint what is brighter than white in magenta and what is darker than black in light blue' },
];

/** One button a kind of conspicuous value: switches its colour on the picture, and counts it over the whole frame. */
export class MarkButtons implements Feature {
  readonly root = element('div', { class: 'marks', role: 'group', 'aria-label': 'Marked values' });
  readonly #panel: Panel;
  readonly #buttons = new Map<keyof Marks, { button: HTMLElement; count: HTMLElement }>();

  constructor(panel: Panel) {
    this.#panel = panel;
    for (const { mark, label, title } of marks) {
      const count = element('span', { class: 'count' });
      const button = element(
        'button',
        { type: 'button', class: 'mark', title },
        element('span', { class: `swatch ${mark}`, 'aria-hidden': 'true' }),
        element('span', {}, label),
        ' ',
        count,
      );
      button.addEventListener('click', () => this.toggle(mark));
      this.#buttons.set(mark, { button, count });
      this.root.append(button);
    }
  }

  toggle(mark: keyof Marks): void {
    const { marks: now } = this.#panel.session.look;
    this.#panel.actions.changeLook({ marks: { ...now, [mark]: !now[mark] } });
  }

  changed(): void {
    const { look, drawn } = this.#panel.session;
    for (const [mark, { button }] of this.#buttons) press(button, look.marks[mark]);
    // The picture marks neither: vectors and data have negative values as they have positive ones, directions know no white.
    this.#buttons.get('negative')!.button.hidden = !['color', 'hdr', 'depth'].includes(drawn?.kind ?? '');
    this.#buttons.get('clipping')!.button.hidden = look.falseColor === 'normal' || look.falseColor === 'motion';
  }

  numbersShown(info: FrameInfo): void {
    for (const mark of ['nan', 'inf', 'negative'] as const) this.#count(mark, formatCount(info.stats[mark]), info.stats[mark] > 0);
    const { look, drawn } = this.#panel.session;
    const share = clippedShare(info, look, drawn);
    this.#count('clipping', share === null ? '' : `${(share * 100).toFixed(decimals(share))} %`, (share ?? 0) > 0);
  }

  #count(mark: keyof Marks, text: string, present: boolean): void {
    const { button, count } = this.#buttons.get(mark)!;
    count.textContent = text;
    button.classList.toggle('present', present);
  }
}

/** A trace of it shows, and the text stays short. */
function decimals(share: number): number {
  if (share === 0 || share >= 0.1) return 0;
  return share < 0.001 ? 2 : 1;
}
