import type { PixelValue } from '../../../helper/protocol/frames';
import { element, iconButton, row } from '../shared/dom';
import { channelNames } from './channels';
import { formatValue } from './describe';
import type { Panel } from './feature';
import type { Probe } from './probe';
import { Section } from './section';

/** The texel under the pointer or the crosshair: where, each channel's exact value, its bits. */
export class PixelSection {
  readonly section: Section;
  readonly #panel: Panel;
  readonly #probe: Probe;
  readonly #x = element('input', { type: 'number', min: '0', step: '1', 'aria-label': 'Column of the texel', placeholder: 'x' });
  readonly #y = element('input', { type: 'number', min: '0', step: '1', 'aria-label': 'Row of the texel', placeholder: 'y' });
  readonly #values = element('div', { class: 'channel-values' });

  constructor(panel: Panel, probe: Probe) {
    this.#panel = panel;
    this.#probe = probe;
    const go = () => {
      if (Number.isFinite(this.#x.valueAsNumber) && Number.isFinite(this.#y.valueAsNumber)) {
        probe.goTo({ x: this.#x.valueAsNumber, y: this.#y.valueAsNumber });
      }
    };
    this.#x.addEventListener('change', go);
    this.#y.addEventListener('change', go);
    const copy = iconButton('copy', 'Copy Value', 'C', () => this.copy());
    const place = row('Texel', element('span', { class: 'buttons' }, this.#x, this.#y, copy));
    this.section = new Section('Texel', true, panel.state, panel.remember, place, this.#values);
    probe.onPixel((pixel) => this.#show(pixel));
    this.#show(null);
  }

  /** The values as text, into the clipboard. */
  copy(): void {
    const { pixel } = this.#probe;
    const { host, announce } = this.#panel;
    const text = pixel?.values.map(formatValue).join(', ');
    if (text === undefined) announce('No texel to copy: point at one first');
    else void host.request('copyText', { text }).then(() => announce(`Copied ${text}`));
  }

  #show(pixel: PixelValue | null): void {
    this.section.summary = pixel ? `${pixel.x}, ${pixel.y}` : '';
    if (!pixel) {
      const text = 'Point at the picture, or click it to keep a texel. Arrow keys move the crosshair.';
      this.#values.replaceChildren(element('p', { class: 'hint' }, text));
      return;
    }
    if (document.activeElement !== this.#x) this.#x.value = String(pixel.x);
    if (document.activeElement !== this.#y) this.#y.value = String(pixel.y);
    const names = this.#panel.session.output ? channelNames(this.#panel.session.output) : [];
    const rows = pixel.values.map((value, channel) => [
      element('span', { class: 'name' }, names[channel] ?? String(channel)),
      element('span', { class: 'exact' }, formatValue(value)),
      element('span', { class: 'hex' }, `0x${pixel.hex[channel] ?? ''}`),
    ]);
    this.#values.replaceChildren(...rows.flat());
  }
}
