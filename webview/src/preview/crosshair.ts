import { element } from '../shared/dom';
import { onCanvas, type Point, type Viewport } from './camera';

/** Device pixels: smaller texels would have an invisible frame. */
const LEAST_SIZE = 5;

/** Hairlines over the whole canvas that meet at one texel, and a frame around it. */
export class Crosshair {
  readonly #across = element('div', { class: 'hairline across' });
  readonly #down = element('div', { class: 'hairline down' });
  readonly #frame = element('div', { class: 'marker' });
  readonly root = element('div', { class: 'crosshair', hidden: true }, this.#across, this.#down, this.#frame);

  place(texel: Point | null, view: Viewport): void {
    this.root.hidden = texel === null;
    if (!texel) return;
    const { x, y, width } = onCanvas(view, { ...texel, width: 1, height: 1 });
    const size = Math.max(width, LEAST_SIZE);
    const [left, top] = [x + (width - size) / 2, y + (width - size) / 2];
    this.#across.style.top = css(y + width / 2);
    this.#down.style.left = css(x + width / 2);
    Object.assign(this.#frame.style, { left: css(left), top: css(top), width: css(size), height: css(size) });
  }
}

function css(devicePixels: number): string {
  return `${devicePixels / devicePixelRatio}px`;
}
