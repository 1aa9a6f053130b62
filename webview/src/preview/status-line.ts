import type { FrameInfo, PixelValue, SourceDescription } from '../../../helper/protocol/frames';
import { anomalies, describePixel, formatScale } from './describe';
import { element } from './dom';

/** The line below the picture: where it comes from, what it is, the pixel under the cursor, how fast it moves. */
export class StatusLine {
  readonly root: HTMLElement;
  readonly #source = element('span', { class: 'source' });
  readonly #frame = element('span', { class: 'frame' });
  readonly #pixel = element('span', { class: 'pixel' });
  readonly #warning = element('span', { class: 'warning' });
  readonly #scale = element('span', { class: 'scale' });
  readonly #rate = element('span', { class: 'rate' });

  constructor() {
    // Changes with every picture: screen readers get the picture's description and the live region instead.
    this.root = element(
      'footer',
      { class: 'status', 'aria-hidden': 'true', hidden: true },
      this.#source,
      this.#frame,
      this.#pixel,
      element('span', { class: 'space' }),
      this.#warning,
      this.#scale,
      this.#rate,
    );
  }

  setSource({ label, device }: SourceDescription): void {
    this.#source.textContent = device;
    this.#source.title = `${label}: ${device}`;
  }

  setPicture(info: FrameInfo, scale: number): void {
    this.root.hidden = false;
    this.#frame.textContent = `#${info.frame}  ${info.frameWidth}×${info.frameHeight}`;
    this.#frame.title = `Frame ${info.frame} of ${info.output}${info.lossless ? ', lossless' : ''}`;
    this.#warning.textContent = anomalies(info.stats);
    this.#scale.textContent = formatScale(scale);
  }

  setPixel(pixel: PixelValue | null): void {
    this.#pixel.textContent = pixel ? describePixel(pixel) : '';
    this.#pixel.title = pixel ? pixel.hex.map((digits) => `0x${digits}`).join(' ') : '';
  }

  setRate(perSecond: number, dropped: number, paused: boolean): void {
    this.#rate.textContent = paused ? 'paused' : `${Math.round(perSecond)} fps${dropped > 0 ? ` · ${dropped} dropped` : ''}`;
    this.#rate.title = 'Pictures shown a second; frames of the source that this panel did not show';
  }
}
