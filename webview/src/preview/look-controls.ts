import type { FalseColor, OutputDescription, ToneMap } from '../../../helper/protocol/frames';
import { type Actions, EXPOSURE_LIMIT, EXPOSURE_STEP } from './actions';
import { element, select, setOptions } from './dom';
import { RangeControl } from './range-control';
import type { Look } from './state';

const toneMaps: { value: ToneMap; label: string }[] = [
  { value: 'none', label: 'Clip' },
  { value: 'reinhard', label: 'Reinhard' },
  { value: 'aces', label: 'ACES' },
];
const colorMaps: { value: FalseColor; label: string }[] = [
  { value: 'gray', label: 'Gray' },
  { value: 'turbo', label: 'Turbo' },
  { value: 'viridis', label: 'Viridis' },
];

/** How the values become colours: shows only what makes sense for the output's kind. */
export class LookControls {
  readonly root: HTMLElement;
  readonly #exposure: HTMLInputElement;
  readonly #exposureText = element('output', { class: 'value' });
  readonly #toneMap: HTMLSelectElement;
  readonly #colorMap: HTMLSelectElement;
  readonly #range: RangeControl;
  readonly #groups: { exposure: HTMLElement; toneMap: HTMLElement; colorMap: HTMLElement };

  constructor(actions: Actions) {
    this.#exposure = element('input', {
      type: 'range',
      min: String(-EXPOSURE_LIMIT),
      max: String(EXPOSURE_LIMIT),
      step: String(EXPOSURE_STEP),
      'aria-label': 'Exposure in stops',
      title: 'Exposure in stops (E, Shift+E)',
      'aria-keyshortcuts': 'E Shift+E',
    });
    this.#exposure.addEventListener('input', () => actions.changeLook({ exposure: this.#exposure.valueAsNumber }));
    this.#exposure.addEventListener('dblclick', () => actions.changeLook({ exposure: 0 }));
    this.#toneMap = select('Tone map', (value) => actions.changeLook({ toneMap: value as ToneMap }));
    this.#colorMap = select('Colour map', (value) => actions.changeLook({ falseColor: value as FalseColor }));
    this.#range = new RangeControl(actions);
    this.#groups = {
      exposure: group('Exposure', this.#exposure, this.#exposureText),
      toneMap: group('Tone map', this.#toneMap),
      colorMap: group('Colours', this.#colorMap),
    };
    const { exposure, toneMap, colorMap } = this.#groups;
    this.root = element('div', { class: 'look', role: 'group', 'aria-label': 'Look' }, exposure, toneMap, colorMap, this.#range.root);
  }

  update({ kind, channels }: OutputDescription, look: Look): void {
    const isColor = kind === 'color' || kind === 'hdr';
    const isScalar = kind === 'depth' || (kind === 'tensor' && channels === 1);
    this.#groups.exposure.hidden = !isColor;
    this.#groups.toneMap.hidden = kind !== 'hdr';
    this.#groups.colorMap.hidden = !isScalar;
    this.#range.root.hidden = isColor || kind === 'id';
    this.root.hidden = kind === 'id';
    this.#exposure.value = String(look.exposure);
    this.#exposureText.value = `${look.exposure > 0 ? '+' : ''}${look.exposure.toFixed(2)}`;
    setOptions(this.#toneMap, toneMaps, look.toneMap);
    setOptions(this.#colorMap, colorMaps, look.falseColor);
    this.#range.update(look.range);
  }

  setExtremes(extremes: [number, number]): void {
    this.#range.setExtremes(extremes);
  }
}

function group(name: string, ...controls: HTMLElement[]): HTMLElement {
  return element('span', { class: 'group' }, element('span', { class: 'name', 'aria-hidden': 'true' }, name), ...controls);
}
