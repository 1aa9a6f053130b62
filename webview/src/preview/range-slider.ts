import type { Histogram } from '../../../helper/protocol/frames';
import { element, press, textButton } from '../shared/dom';
import { shape, svg } from '../shared/svg';
import { formatShort } from './describe';
import { isCentred, ownRange } from './difference-look';
import type { Feature, Panel } from './feature';
import { axisOf, bars, evenly, fromShare, moved, type Range, toShare } from './range-scale';

type End = 'low' | 'high';

const COLUMNS = 128;
/** Of the axis, for one press of an arrow key. */
const KEY_STEP = 0.01;

/** The ends of the colour scale as handles on the histogram, as numbers, fitted to the frame on screen, or following every frame. */
export class RangeSlider implements Feature {
  readonly root: HTMLElement;
  readonly #panel: Panel;
  readonly #bars = shape('path', { class: 'bars' });
  readonly #handles: Record<End, HTMLElement>;
  readonly #inside = element('div', { class: 'inside' });
  readonly #track: HTMLElement;
  readonly #fields: Record<End, HTMLInputElement>;
  readonly #lock: HTMLButtonElement;
  readonly #controls: HTMLElement;
  #extremes: Range = [0, 1];
  #histogram: Histogram | undefined;
  #hasRange = false;
  #drawn = '';

  constructor(panel: Panel) {
    this.#panel = panel;
    this.#handles = { low: this.#handle('low', 'Lower end of the range'), high: this.#handle('high', 'Upper end of the range') };
    this.#fields = { low: this.#field('low', 'Lower end of the range'), high: this.#field('high', 'Upper end of the range') };
    this.#track = element(
      'div',
      { class: 'histogram' },
      svg({ viewBox: `0 0 ${COLUMNS} 100`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, this.#bars),
      this.#inside,
      this.#handles.low,
      this.#handles.high,
    );
    const fit = textButton('Fit', "Set the range to this frame's minimum and maximum (N)", () => this.fit());
    this.#lock = textButton('Lock', 'On: the range stays from frame to frame. Off: each frame its own.', () => this.#toggleLock());
    this.#controls = element('div', { class: 'range-fields' }, this.#fields.low, fit, this.#lock, this.#fields.high);
    this.root = element('div', { class: 'range' }, this.#track, this.#controls);
  }

  /** The frame's own extremes become the range and stay. */
  fit(): void {
    this.#set(this.#own);
  }

  changed(): void {
    const { drawn, look } = this.#panel.session;
    const hasRange = drawn !== undefined && !['color', 'hdr', 'id'].includes(drawn.kind) && !['labels', 'bool'].includes(look.falseColor);
    for (const each of [this.#controls, this.#inside, ...Object.values(this.#handles)]) each.hidden = !hasRange;
    press(this.#lock, look.range !== null);
    this.#hasRange = hasRange;
    this.#draw();
  }

  numbersShown({ stats, histogram }: { stats: { min: number; max: number }; histogram?: Histogram }): void {
    this.#extremes = [stats.min, stats.max];
    this.#histogram = histogram;
    this.#draw();
  }

  get #range(): Range {
    return this.#panel.session.look.range ?? this.#own;
  }

  /** What the engine takes without a range. */
  get #own(): Range {
    return ownRange(this.#panel.session.look, this.#extremes);
  }

  /** These colours have 0 in their middle: the other end goes along. */
  #moveTo(end: End, range: Range): void {
    this.#set(isCentred(this.#panel.session.look) ? evenly(Math.abs(range[end === 'low' ? 0 : 1])) : range);
  }

  get #axis(): Range {
    const { low, high } = this.#histogram ?? { low: this.#extremes[0], high: this.#extremes[1] };
    return axisOf([low, high], !this.#hasRange ? null : this.#panel.session.look.range);
  }

  #set(range: Range): void {
    this.#panel.actions.changeLook({ range, holdFirstRange: false });
  }

  #toggleLock(): void {
    const { range } = this.#panel.session.look;
    this.#panel.actions.changeLook({ range: range ? null : this.#own, holdFirstRange: false });
  }

  #draw(): void {
    const axis = this.#axis;
    const range = this.#range;
    this.#place(axis, range);
    this.#track.hidden = !this.#hasRange && !this.#histogram;
    const key = `${this.#histogram?.frame}/${axis}`;
    if (key === this.#drawn) return;
    this.#drawn = key;
    const heights = this.#histogram ? bars(this.#histogram, axis, COLUMNS) : [];
    this.#bars.setAttribute('d', heights.map((height, x) => (height > 0 ? `M${x} 100h1v${-Math.max(height * 96, 2)}h-1z` : '')).join(''));
  }

  #place(axis: Range, range: Range): void {
    const shares = { low: toShare(range[0], axis), high: toShare(range[1], axis) };
    for (const end of ['low', 'high'] as const) {
      const value = range[end === 'low' ? 0 : 1];
      const handle = this.#handles[end];
      handle.style.left = `${shares[end] * 100}%`;
      handle.setAttribute('aria-valuenow', String(value));
      handle.setAttribute('aria-valuemin', String(axis[0]));
      handle.setAttribute('aria-valuemax', String(axis[1]));
      const field = this.#fields[end];
      if (document.activeElement !== field) field.value = formatShort(value);
    }
    Object.assign(this.#inside.style, { left: `${shares.low * 100}%`, right: `${(1 - shares.high) * 100}%` });
  }

  #handle(end: End, label: string): HTMLElement {
    const handle = element('div', { class: `handle ${end}`, role: 'slider', tabindex: '0', 'aria-label': label, title: label });
    const move = (value: number, axis: Range) => this.#moveTo(end, moved(this.#range, end, value, axis));
    handle.addEventListener('pointerdown', (down) => {
      handle.setPointerCapture(down.pointerId);
      // The axis must not move under the pointer.
      const axis = this.#axis;
      const box = this.#track.getBoundingClientRect();
      const drag = (event: PointerEvent) => move(fromShare((event.clientX - box.left) / box.width, axis), axis);
      handle.addEventListener('pointermove', drag);
      handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', drag), { once: true });
    });
    handle.addEventListener('keydown', (event) => {
      const direction = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (!direction) return;
      const axis = this.#axis;
      const step = direction * KEY_STEP * (event.shiftKey ? 10 : 1) * (axis[1] - axis[0]);
      move(this.#range[end === 'low' ? 0 : 1] + step, axis);
      event.preventDefault();
    });
    return handle;
  }

  #field(end: End, label: string): HTMLInputElement {
    const field = element('input', { type: 'number', step: 'any', 'aria-label': label, title: label });
    field.addEventListener('change', () => {
      if (!Number.isFinite(field.valueAsNumber)) return;
      const [low, high] = this.#range;
      this.#moveTo(end, end === 'low' ? [field.valueAsNumber, high] : [low, field.valueAsNumber]);
    });
    return field;
  }
}
