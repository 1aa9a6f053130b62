import type { FrameInfo } from '../../../helper/protocol/frames';
import { describePicture } from './describe';
import type { Feature, Panel } from './feature';

/** Milliseconds between two descriptions while pictures move. */
const INTERVAL = 2000;

/**
 * The picture in words, as the canvas' label. Read aloud are only changes that matter: values that should not be there, and pictures at rest
 * that differ from what was said last.
 */
export class LiveText implements Feature {
  readonly #panel: Panel;
  #describedAt = Number.NEGATIVE_INFINITY;
  #wasAnomalous = false;
  #said = '';

  constructor(panel: Panel) {
    this.#panel = panel;
  }

  pictureShown(info: FrameInfo): void {
    const { paused } = this.#panel.state;
    const anomalous = info.stats.nan + info.stats.inf > 0;
    const atRest = info.lossless && paused;
    if ((anomalous && !this.#wasAnomalous) || atRest) this.#say(describePicture(info, paused));
    this.#wasAnomalous = anomalous;
    const now = performance.now();
    if (now - this.#describedAt < INTERVAL && !info.lossless) return;
    this.#describedAt = now;
    this.#panel.stage.canvas.setAttribute('aria-label', describePicture(info, paused));
  }

  #say(text: string): void {
    if (text === this.#said) return;
    this.#said = text;
    this.#panel.announce(text);
  }
}
