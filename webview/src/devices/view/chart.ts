/** A value over the last minutes, as lines in the theme's colours. */
import { element } from '../../shared/dom';
import { shape, svg } from '../../shared/svg';
import { linesOf, type Sample, type SampleValue, topOf } from '../model/samples';

export interface Line {
  value: SampleValue;
  /** Told apart from the other line of its chart; empty where there is only one. */
  name: string;
  format: (value: number) => string;
}

export interface ChartOptions {
  title: string;
  lines: Line[];
  /** The highest value that there can be, or the least that the scale goes up to where nobody knows. */
  top: number;
  fixed: boolean;
}

/** Two minutes: long enough for a training step's rhythm, short enough to see it. */
export const SPAN_MS = 120_000;
const WIDTH = 300;
const HEIGHT = 60;

export class Chart {
  readonly root: HTMLElement;
  readonly #options: ChartOptions;
  readonly #drawing: SVGElement;
  readonly #now = element('span', { class: 'now' });
  readonly #top = element('span', { class: 'chart-top', 'aria-hidden': 'true' });
  readonly #missing = element('p', { class: 'chart-missing' });
  readonly #plot: HTMLElement;
  #text = '';

  constructor(options: ChartOptions) {
    this.#options = options;
    this.#drawing = svg({ viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img' });
    this.#plot = element('div', { class: 'chart-plot' }, this.#drawing, this.#top);
    const head = element('div', { class: 'chart-head' }, element('h3', {}, options.title), this.#now);
    this.root = element('div', { class: 'chart-card' }, head, this.#plot, this.#missing);
  }

  get text(): string {
    return `${this.#options.title}: ${this.#text}`;
  }

  /** `missing`: why there is no value at all. `end`: the time at the right end. */
  show(samples: readonly Sample[], end: number, missing: string | undefined): void {
    const { lines, top, fixed } = this.#options;
    const recent = samples.filter(({ time }) => time >= end - SPAN_MS);
    const has = lines.some(({ value }) => recent.some((sample) => sample[value] !== undefined));
    this.#plot.hidden = !has;
    this.#missing.hidden = has || !missing;
    this.#missing.textContent = missing ?? '';
    this.root.hidden = !has && !missing;
    this.#text = has ? this.#words(recent) : (missing ?? '');
    if (!has) {
      this.#now.replaceChildren();
      return;
    }
    const high = fixed
      ? top
      : topOf(
          recent,
          lines.map(({ value }) => value),
          top,
        );
    this.#top.textContent = lines[0]!.format(high);
    this.#now.replaceChildren(...this.#values(recent));
    this.#drawing.setAttribute('aria-label', this.text);
    this.#drawing.replaceChildren(
      ...lines.flatMap(({ value }, at) => draw(linesOf(recent, value, { end, span: SPAN_MS, low: 0, high }), at, lines.length === 1)),
    );
  }

  #values(samples: readonly Sample[]): HTMLElement[] {
    return this.#options.lines.flatMap(({ value, name, format }, at) => {
      const last = samples.findLast((sample) => sample[value] !== undefined)?.[value];
      return last === undefined ? [] : [element('span', { class: `line-${at}` }, name ? `${name} ${format(last)}` : format(last))];
    });
  }

  /** For a screen reader: now, and between what in these minutes. */
  #words(samples: readonly Sample[]): string {
    const words = this.#options.lines.map(({ value, name, format }) => {
      const values = samples.map((sample) => sample[value]).filter((each) => each !== undefined);
      const last = values.at(-1);
      if (last === undefined) return '';
      return `${name ? `${name} ` : ''}${format(last)}, between ${format(Math.min(...values))} and ${format(Math.max(...values))} in two minutes`;
    });
    return words.filter(Boolean).join('; ');
  }
}

/** A single point is drawn as one: a line of no length has round ends. */
function draw(lines: [number, number][][], at: number, filled: boolean): SVGElement[] {
  return lines.flatMap((points) => {
    const path = points.map(([x, y]) => `${(x * WIDTH).toFixed(1)},${((1 - y) * (HEIGHT - 2) + 1).toFixed(1)}`);
    if (path.length === 1) path.push(path[0]!);
    const stroke = shape('polyline', { class: `stroke line-${at}`, points: path.join(' '), 'vector-effect': 'non-scaling-stroke' });
    if (!filled) return [stroke];
    const [left, right] = [path[0]!.split(',')[0], path.at(-1)!.split(',')[0]];
    return [shape('polygon', { class: `fill line-${at}`, points: `${left},${HEIGHT} ${path.join(' ')} ${right},${HEIGHT}` }), stroke];
  });
}
