import type { FrameInfo, Rect } from '../../../helper/protocol/frames';
import { onCanvas, type Size, type Viewport } from './camera';
import { type Decoded, decode } from './decode';

export interface ShownPicture {
  info: FrameInfo;
  /** The texels it shows. */
  rect: Rect;
}

/** Decodes pictures and keeps the newest one on the canvas, also while the camera has moved on and the next one is under way. */
export class Painter {
  readonly canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  #picture: Decoded | null = null;
  #shown: ShownPicture | null = null;
  #drawn = 0;
  #drawTime = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    // Readable from the CPU: probes and tests read pixels back, and uploads to a software canvas are cheaper.
    this.#context = canvas.getContext('2d', { willReadFrequently: true })!;
  }

  get shown(): ShownPicture | null {
    return this.#shown;
  }

  /** Pictures drawn so far. */
  get drawn(): number {
    return this.#drawn;
  }

  /** Milliseconds from the bytes to the canvas, of the last picture. */
  get drawTime(): number {
    return this.#drawTime;
  }

  get size(): Size {
    return { width: this.canvas.width, height: this.canvas.height };
  }

  /** True: drawn. False: undecodable, or older than what is on screen. */
  async show(picture: ShownPicture, bytes: ArrayBuffer, view: () => Viewport): Promise<boolean> {
    const begun = performance.now();
    const decoded = await decode(picture.info, bytes);
    if (this.#shown && this.#shown.info.viewId === picture.info.viewId && this.#shown.info.sequence > picture.info.sequence) {
      decoded.close();
      return false;
    }
    this.#picture?.close();
    this.#picture = decoded;
    this.#shown = picture;
    this.#drawn++;
    this.redraw(view());
    this.#drawTime = performance.now() - begun;
    return true;
  }

  redraw(view: Viewport): void {
    const { width, height } = this.canvas;
    this.#context.clearRect(0, 0, width, height);
    if (!this.#picture || !this.#shown) return;
    const target = onCanvas(view, this.#shown.rect);
    // Texels stay square-edged when they are enlarged; at 1:1 nothing is resampled.
    this.#context.imageSmoothingEnabled = target.width < this.#picture.width;
    const [x, y, w, h] = [target.x, target.y, target.width, target.height].map(Math.round) as [number, number, number, number];
    this.#picture.draw(this.#context, { x, y, width: w, height: h });
  }

  /** Setting a canvas' size clears it, so the picture is drawn again. */
  resize({ width, height }: Size, view: () => Viewport): void {
    if (this.canvas.width === width && this.canvas.height === height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    if (width > 0 && height > 0) this.redraw(view());
  }

  clear(): void {
    this.#picture?.close();
    this.#picture = null;
    this.#shown = null;
    this.#context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  read({ x, y, width, height }: Rect): number[] {
    return [...this.#context.getImageData(x, y, width, height).data];
  }
}
