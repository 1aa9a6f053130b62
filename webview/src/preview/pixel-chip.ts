import type { PixelValue } from '../../../helper/protocol/frames';
import { element } from '../shared/dom';
import { channelNames } from './channels';
import { formatId, formatValue } from './describe';
import type { Panel } from './feature';

/** The texel that is looked at, in a corner of the picture: always at the same place, so that nothing moves while the pointer does. */
export class PixelChip {
  readonly root = element('div', { class: 'chip', hidden: true, 'aria-hidden': 'true' });
  readonly #panel: Panel;

  constructor(panel: Panel) {
    this.#panel = panel;
  }

  show(pixel: PixelValue | null): void {
    this.root.hidden = pixel === null;
    const { output } = this.#panel.session;
    if (!pixel || !output) return;
    const names = channelNames(output);
    const format = output.kind === 'id' ? formatId : formatValue;
    const values = pixel.values.map((value, channel) => [
      element('span', { class: 'channel' }, names[channel] ?? String(channel)),
      element('span', { class: isConspicuous(value) ? 'conspicuous' : '' }, format(value)),
    ]);
    this.root.replaceChildren(element('span', { class: 'place' }, `${pixel.x}, ${pixel.y}`), ...values.flat());
  }
}

function isConspicuous(value: number | string): boolean {
  return typeof value === 'string' && /nan|inf/i.test(value);
}
