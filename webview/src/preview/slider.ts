import { element } from '../shared/dom';

interface SliderOptions {
  label: string;
  keys?: string;
  min: number;
  max: number;
  step: number;
  /** A double click sets this. */
  neutral: number;
  format: (value: number) => string;
  onInput: (value: number) => void;
}

/** A slider with its value beside it. */
export class Slider {
  readonly root: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #text = element('output', { class: 'value' });
  readonly #format: (value: number) => string;

  constructor({ label, keys, min, max, step, neutral, format, onInput }: SliderOptions) {
    const title = keys ? `${label} (${keys}). Double click resets.` : `${label}. Double click resets.`;
    this.#format = format;
    this.#input = element('input', { type: 'range', min: String(min), max: String(max), step: String(step), 'aria-label': label, title });
    this.#input.addEventListener('input', () => onInput(this.#input.valueAsNumber));
    this.#input.addEventListener('dblclick', () => onInput(neutral));
    this.root = element('span', { class: 'slider' }, this.#input, this.#text);
  }

  set value(value: number) {
    this.#input.value = String(value);
    this.#text.value = this.#format(value);
    const { min, max } = this.#input;
    this.#input.style.setProperty('--part', `${((value - Number(min)) / (Number(max) - Number(min))) * 100}%`);
  }
}
