import type { FalseColor, OutputDescription, ToneMap } from '../../../helper/protocol/frames';
import { element, press, row, select, setOptions, textButton } from '../shared/dom';
import { EXPOSURE_LIMIT, EXPOSURE_STEP, GAMMA_LIMITS } from './actions';
import { ChannelButtons } from './channel-buttons';
import { colorMaps } from './colors';
import { recoloured } from './difference-look';
import type { Feature, Panel } from './feature';
import { Section } from './section';
import { Slider } from './slider';

const toneMaps: { value: ToneMap; label: string }[] = [
  { value: 'none', label: 'Clip' },
  { value: 'reinhard', label: 'Reinhard' },
  { value: 'aces', label: 'ACES' },
];

/** How the values become colours: shows only what makes sense for the output's kind. */
export class LookSection implements Feature {
  readonly section: Section;
  readonly #panel: Panel;
  readonly #exposure: Slider;
  readonly #gamma: Slider;
  readonly #toneMap: HTMLSelectElement;
  readonly #colorMap: HTMLSelectElement;
  readonly #channels: ChannelButtons;
  readonly #flipY: HTMLButtonElement;
  readonly #swapRb: HTMLButtonElement;
  readonly #batch: HTMLInputElement;
  readonly #rows: Record<'exposure' | 'gamma' | 'toneMap' | 'colorMap' | 'channels' | 'batch' | 'layout', HTMLElement>;

  constructor(panel: Panel) {
    const { actions } = panel;
    this.#panel = panel;
    this.#exposure = new Slider({
      label: 'Exposure in stops',
      keys: 'E, Shift+E',
      min: -EXPOSURE_LIMIT,
      max: EXPOSURE_LIMIT,
      step: EXPOSURE_STEP,
      neutral: 0,
      format: (value) => `${value > 0 ? '+' : ''}${value.toFixed(2)}`,
      onInput: (exposure) => actions.changeLook({ exposure }),
    });
    this.#gamma = new Slider({
      label: 'Gamma',
      keys: 'G, Shift+G',
      min: GAMMA_LIMITS[0],
      max: GAMMA_LIMITS[1],
      step: 0.05,
      neutral: 1,
      format: (value) => value.toFixed(2),
      onInput: (gamma) => actions.changeLook({ gamma }),
    });
    this.#toneMap = select('Tone map', (value) => actions.changeLook({ toneMap: value as ToneMap }));
    this.#colorMap = select('Colour map', (value) => actions.changeLook(recoloured(panel.session.look, value as FalseColor)));
    this.#channels = new ChannelButtons((channels) => actions.changeLook({ channels }));
    this.#flipY = textButton('Flip Y', 'Show the last row first', () => actions.changeLook({ flipY: !panel.session.look.flipY }));
    this.#swapRb = textButton('BGR', 'Exchange the first and the third channel', () => actions.changeLook({ swapRb: !panel.session.look.swapRb }));
    this.#batch = element('input', { type: 'number', min: '0', step: '1', 'aria-label': 'Image of the batch' });
    this.#batch.addEventListener('change', () => actions.changeLook({ batch: Math.max(0, Math.floor(this.#batch.valueAsNumber || 0)) }));
    const reset = textButton('Reset', 'Back to the look that suits this output (R)', actions.resetLook);
    this.#rows = {
      exposure: row('Exposure', this.#exposure.root),
      gamma: row('Gamma', this.#gamma.root),
      toneMap: row('Tone map', this.#toneMap),
      colorMap: row('Colours', this.#colorMap),
      channels: row('Channels', this.#channels.root),
      batch: row('Image', this.#batch),
      layout: row('Picture', element('span', { class: 'buttons' }, this.#flipY, this.#swapRb, reset)),
    };
    this.section = new Section('Look', true, panel.state, panel.remember, ...Object.values(this.#rows));
  }

  changed(): void {
    const { output, drawn, showsDifference, look } = this.#panel.session;
    if (!output || !drawn) return;
    this.#hideWhatIsMeaningless(drawn, showsDifference);
    this.#exposure.value = look.exposure;
    this.#gamma.value = look.gamma;
    setOptions(this.#toneMap, toneMaps, look.toneMap);
    setOptions(this.#colorMap, colorMaps(showsDifference ? { ...drawn, kind: output.kind } : drawn, showsDifference), look.falseColor);
    this.#channels.update({ ...drawn, kind: output.kind }, look);
    press(this.#flipY, look.flipY);
    press(this.#swapRb, look.swapRb);
    this.#batch.max = String((output.batches ?? 1) - 1);
    if (document.activeElement !== this.#batch) this.#batch.value = String(look.batch);
  }

  #hideWhatIsMeaningless({ kind, channels, batches = 1 }: OutputDescription, isDifference: boolean): void {
    const isColor = kind === 'color' || kind === 'hdr';
    this.#rows.exposure.hidden = !isColor && !isDifference;
    this.#rows.exposure.firstChild!.textContent = isDifference ? 'Gain' : 'Exposure';
    this.#rows.gamma.hidden = kind === 'id';
    this.#rows.toneMap.hidden = !isColor;
    this.#rows.channels.hidden = channels < 2 || kind === 'id';
    this.#rows.batch.hidden = batches < 2;
    this.#swapRb.hidden = channels < 3;
  }
}
