import type { Actions } from './actions';
import { formatValue } from './describe';
import { element } from './dom';

/** Two values that become the ends of the colour scale, held from frame to frame, or `Auto`: each frame's own extremes. */
export class RangeControl {
  readonly root: HTMLElement;
  readonly #low = numberField('Lower end of the range');
  readonly #high = numberField('Upper end of the range');
  readonly #auto = element('button', { type: 'button', class: 'text-button', title: "Use each frame's own minimum and maximum" }, 'Auto');
  #range: [number, number] | null = null;
  #extremes: [number, number] = [0, 1];

  constructor(actions: Actions) {
    const apply = () => {
      const range: [number, number] = [this.#low.valueAsNumber, this.#high.valueAsNumber];
      if (range.every(Number.isFinite)) actions.changeLook({ range, holdFirstRange: false });
    };
    this.#low.addEventListener('change', apply);
    this.#high.addEventListener('change', apply);
    this.#auto.addEventListener('click', () => actions.changeLook({ range: this.#range ? null : this.#extremes, holdFirstRange: false }));
    this.root = element(
      'span',
      { class: 'group' },
      element('span', { class: 'name', 'aria-hidden': 'true' }, 'Range'),
      this.#low,
      this.#high,
      this.#auto,
    );
  }

  update(range: [number, number] | null): void {
    this.#range = range;
    this.#auto.setAttribute('aria-pressed', String(range === null));
    this.#show(range ?? this.#extremes);
  }

  /** The extremes of the picture on screen: what the fields show while nothing is held. */
  setExtremes(extremes: [number, number]): void {
    this.#extremes = extremes;
    if (!this.#range) this.#show(extremes);
  }

  #show([low, high]: [number, number]): void {
    set(this.#low, low);
    set(this.#high, high);
  }
}

function numberField(label: string): HTMLInputElement {
  return element('input', { type: 'number', step: 'any', 'aria-label': label, title: label });
}

/** A field that is being edited is left alone. */
function set(field: HTMLInputElement, value: number): void {
  if (document.activeElement !== field) field.value = formatValue(Number(value.toPrecision(4)));
}
