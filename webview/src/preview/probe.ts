import type { FrameInfo, PixelValue } from '../../../helper/protocol/frames';
import { type Point, type Size, toTexel } from './camera';
import { Crosshair } from './crosshair';
import { describePixel } from './describe';
import type { Feature, Panel } from './feature';

/** Milliseconds between two readings of the texel while pictures move. */
const INTERVAL = 100;

/**
 * The exact value of one texel: the one under the pointer, else the one under the crosshair, which a click or the arrow keys set.
 * One question at a time; the newest wins.
 */
export class Probe implements Feature {
  readonly crosshair = new Crosshair();
  readonly #panel: Panel;
  readonly #listeners: ((pixel: PixelValue | null) => void)[] = [];
  #hovered: Point | null = null;
  #picked: Point | null = null;
  #byKey = false;
  #pixel: PixelValue | null = null;
  #asking = false;
  #again = false;
  #askedAt = 0;

  constructor(panel: Panel) {
    this.#panel = panel;
  }

  /** The last answer; null while no texel is looked at. */
  get pixel(): PixelValue | null {
    return this.#pixel;
  }

  onPixel(listener: (pixel: PixelValue | null) => void): void {
    this.#listeners.push(listener);
  }

  /** `at` on the canvas; null: the pointer left. */
  hover(at: Point | null): void {
    this.#hovered = at && this.#texelAt(at);
    this.#byKey = false;
    this.#look();
  }

  /** Puts the crosshair where the canvas was clicked; a click on the same texel takes it away. */
  pick(at: Point): void {
    const texel = this.#texelAt(at);
    this.#place(texel && this.#picked?.x === texel.x && this.#picked.y === texel.y ? null : texel);
  }

  goTo(texel: Point): void {
    this.#hovered = null;
    this.#byKey = true;
    this.#place(held(texel, this.#panel.session.frameSize));
    this.#keepInSight();
  }

  /** By texels, from the keyboard; begins in the middle of the canvas. */
  step(x: number, y: number): void {
    const from = this.#picked ?? this.#hovered ?? toTexel(this.#panel.session.viewport, middle(this.#panel.painter.size));
    this.goTo({ x: from.x + x, y: from.y + y });
  }

  clear(): void {
    this.#hovered = null;
    this.#place(null);
  }

  moved(): void {
    this.crosshair.place(this.#picked, this.#panel.session.viewport);
  }

  /** The picture changed: so may the value. */
  pictureShown(info: FrameInfo): void {
    const now = performance.now();
    if (!this.#texel || (now - this.#askedAt < INTERVAL && !info.lossless)) return;
    void this.#update();
  }

  get #texel(): Point | null {
    return this.#hovered ?? this.#picked;
  }

  #texelAt(at: Point): Point | null {
    const { x, y } = toTexel(this.#panel.session.viewport, at);
    const { width, height } = this.#panel.session.frameSize;
    return x >= 0 && y >= 0 && x < width && y < height ? { x: Math.floor(x), y: Math.floor(y) } : null;
  }

  #place(texel: Point | null): void {
    this.#picked = texel;
    this.moved();
    this.#look();
  }

  #keepInSight(): void {
    const rect = this.#panel.session.placement?.rect;
    const texel = this.#picked;
    if (!rect || !texel) return;
    const inside = texel.x >= rect.x && texel.x + 1 <= rect.x + rect.width && texel.y >= rect.y && texel.y + 1 <= rect.y + rect.height;
    if (!inside) this.#panel.actions.center({ x: texel.x + 0.5, y: texel.y + 0.5 });
  }

  #look(): void {
    if (this.#texel) void this.#update();
    else this.#tell(null);
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
    const asked = this.#texel;
    if (!asked) return;
    const byKey = this.#byKey;
    this.#askedAt = performance.now();
    // A view that is being replaced has no pixel; the next picture asks again.
    const pixel = await this.#panel.host.request('pixel', { x: asked.x, y: asked.y }).catch(() => null);
    if (!pixel || this.#texel?.x !== asked.x || this.#texel.y !== asked.y) return;
    this.#tell(pixel);
    if (byKey) this.#sayOnce(pixel);
  }

  #tell(pixel: PixelValue | null): void {
    this.#pixel = pixel;
    for (const listener of this.#listeners) listener(pixel);
  }

  /** Screen readers hear the value when the crosshair moves, not with every frame. */
  #sayOnce(pixel: PixelValue): void {
    this.#byKey = false;
    this.#panel.announce(describePixel(pixel));
  }
}

function held({ x, y }: Point, { width, height }: Size): Point {
  const within = (value: number, extent: number) => Math.min(Math.max(Math.floor(value), 0), extent - 1);
  return { x: within(x, width), y: within(y, height) };
}

function middle({ width, height }: Size): Point {
  return { x: width / 2, y: height / 2 };
}
