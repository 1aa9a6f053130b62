import type { PixelBlock } from '../../../helper/protocol/frames';
import { element } from '../shared/dom';
import { onCanvas, type Viewport, wholeTexels } from './camera';
import { formatShort, formatValue } from './describe';
import type { Feature, Panel } from './feature';

/** CSS pixels a texel from which the grid is drawn, and from which numbers have room. */
const GRID_FROM = 12;
const NUMBERS_FROM = 34;
const LARGEST_FONT = 12;
const SMALLEST_FONT = 6;
const LINE_HEIGHT = 1.15;
/** Width of a digit in a monospaced font, in font sizes. */
const DIGIT = 0.62;
/** The engine answers for so many texels a side. */
const MOST_TEXELS = 64;
const INTERVAL = 150;

/** Numbers on the texels, once they are large enough to hold them: every channel's value, straight from the frame. */
export class TexelValues implements Feature {
  readonly canvas = element('canvas', { class: 'overlay', 'aria-hidden': 'true' });
  readonly #panel: Panel;
  readonly #context = this.canvas.getContext('2d')!;
  #block: PixelBlock | null = null;
  #asking = false;
  #askedAt = 0;

  constructor(panel: Panel) {
    this.#panel = panel;
  }

  moved(): void {
    this.#draw();
    this.#ask();
  }

  pictureShown({ lossless }: { lossless: boolean }): void {
    if (lossless || performance.now() - this.#askedAt > INTERVAL) this.#ask();
  }

  closed(): void {
    this.#block = null;
    this.#draw();
  }

  get #scale(): number {
    return this.#panel.session.viewport.scale / devicePixelRatio;
  }

  #ask(): void {
    const rect = this.#panel.session.placement?.rect;
    if (this.#scale < NUMBERS_FROM || !rect || this.#asking) return;
    this.#asking = true;
    this.#askedAt = performance.now();
    void this.#panel.host
      .request('pixels', wholeTexels(rect, MOST_TEXELS))
      // A view that is being replaced has no values; the next picture asks again.
      .catch(() => null)
      .then((block) => {
        this.#asking = false;
        this.#block = block;
        this.#draw();
      });
  }

  #draw(): void {
    const { width, height } = this.#panel.painter.size;
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    this.#context.clearRect(0, 0, width, height);
    const view = this.#panel.session.viewport;
    if (this.#scale < GRID_FROM) return;
    this.#grid(view);
    if (this.#scale >= NUMBERS_FROM && this.#block) this.#numbers(this.#block, view);
  }

  #grid(view: Viewport): void {
    const rect = this.#panel.session.placement?.rect;
    if (!rect) return;
    const { x, y, width, height } = wholeTexels(rect);
    const box = onCanvas(view, { x, y, width, height });
    const context = this.#context;
    context.beginPath();
    for (let column = 0; column <= width; column++) {
      const at = Math.round(box.x + column * view.scale) + 0.5;
      context.moveTo(at, box.y);
      context.lineTo(at, box.y + box.height);
    }
    for (let line = 0; line <= height; line++) {
      const at = Math.round(box.y + line * view.scale) + 0.5;
      context.moveTo(box.x, at);
      context.lineTo(box.x + box.width, at);
    }
    context.strokeStyle = 'rgba(128, 128, 128, 0.35)';
    context.lineWidth = 1;
    context.stroke();
  }

  #numbers(block: PixelBlock, view: Viewport): void {
    const { channels } = block;
    const texts = block.values.map((value) => (typeof value === 'number' ? formatShort(value) : formatValue(value)));
    const longest = Math.max(...texts.map(({ length }) => length));
    const room = this.#scale - 4;
    const font = Math.min(LARGEST_FONT, room / (longest * DIGIT), room / (channels * LINE_HEIGHT));
    if (font < SMALLEST_FONT) return;
    const size = font * devicePixelRatio;
    const context = this.#context;
    const family = getComputedStyle(this.canvas).getPropertyValue('--vscode-editor-font-family') || 'monospace';
    context.font = `${size}px ${family}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    // Readable on every colour.
    context.strokeStyle = 'rgba(0, 0, 0, 0.8)';
    context.fillStyle = '#fff';
    context.lineWidth = size / 4;
    context.lineJoin = 'round';
    texts.forEach((text, at) => {
      const texel = Math.floor(at / channels);
      const x = view.left + (block.x + (texel % block.width) + 0.5) * view.scale;
      const middle = view.top + (block.y + Math.floor(texel / block.width) + 0.5) * view.scale;
      const y = middle + ((at % channels) - (channels - 1) / 2) * size * LINE_HEIGHT;
      context.strokeText(text, x, y);
      context.fillText(text, x, y);
    });
  }
}
