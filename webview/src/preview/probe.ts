import type { PixelValue, Rect } from '../../../helper/protocol/frames';
import { onCanvas, type Point, type Size, toTexel, type Viewport } from './camera';
import { element } from './dom';

/** Asks for the exact value of one texel: under the pointer, or moved by keys. One question at a time; the newest wins. */
export class Probe {
  /** Frames the texel; only for keys, a pointer shows itself. */
  readonly marker = element('div', { class: 'marker', hidden: true });
  readonly #ask: (x: number, y: number) => Promise<PixelValue>;
  readonly #show: (pixel: PixelValue | null, byKey: boolean) => void;
  #texel: Point | null = null;
  #byKey = false;
  #asking = false;
  #again = false;

  constructor(ask: (x: number, y: number) => Promise<PixelValue>, show: (pixel: PixelValue | null, byKey: boolean) => void) {
    this.#ask = ask;
    this.#show = show;
  }

  /** `at` on the canvas. */
  point(at: Point | null, view: Viewport, frame: Size): void {
    this.#byKey = false;
    const texel = at && toTexel(view, at);
    this.#moveTo(texel && isInside(texel, frame) ? { x: Math.floor(texel.x), y: Math.floor(texel.y) } : null);
  }

  step(by: Point, start: Point, frame: Size): void {
    this.#byKey = true;
    const from = this.#texel ?? start;
    const within = (value: number, extent: number) => Math.min(Math.max(Math.floor(value), 0), extent - 1);
    this.#moveTo({ x: within(from.x + by.x, frame.width), y: within(from.y + by.y, frame.height) });
  }

  /** The picture changed: so may the value. */
  refresh(): void {
    if (this.#texel) void this.#update();
  }

  placeMarker(view: Viewport): void {
    this.marker.hidden = !this.#texel || !this.#byKey;
    if (this.marker.hidden) return;
    const texel: Rect = { ...this.#texel!, width: 1, height: 1 };
    const { x, y, width } = onCanvas(view, texel);
    const size = Math.max(width, 5) / devicePixelRatio;
    Object.assign(this.marker.style, {
      left: `${x / devicePixelRatio}px`,
      top: `${y / devicePixelRatio}px`,
      width: `${size}px`,
      height: `${size}px`,
    });
  }

  #moveTo(texel: Point | null): void {
    this.#texel = texel;
    if (texel) void this.#update();
    else this.#show(null, false);
  }

  async #update(): Promise<void> {
    if (this.#asking) {
      this.#again = true;
      return;
    }
    this.#asking = true;
    do {
      this.#again = false;
      await this.#askOnce();
    } while (this.#again && this.#texel);
    this.#asking = false;
  }

  async #askOnce(): Promise<void> {
    const { x, y } = this.#texel!;
    const byKey = this.#byKey;
    // A view that is being replaced has no pixel; the next picture asks again.
    const pixel = await this.#ask(x, y).catch(() => null);
    if (pixel && this.#texel?.x === x && this.#texel.y === y) this.#show(pixel, byKey);
  }
}

function isInside({ x, y }: Point, { width, height }: Size): boolean {
  return x >= 0 && y >= 0 && x < width && y < height;
}
