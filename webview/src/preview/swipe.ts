import { element } from '../shared/dom';
import type { Feature, Panel } from './feature';

const KEY_STEP = 0.02;

/** The line between the reference and the live frame. */
export class Swipe implements Feature {
  readonly root: HTMLElement;
  readonly #panel: Panel;

  constructor(panel: Panel) {
    this.#panel = panel;
    this.root = element(
      'div',
      {
        class: 'swipe',
        hidden: true,
        role: 'slider',
        tabindex: '0',
        'aria-label': 'Line between reference and live frame',
        'aria-valuemin': '0',
        'aria-valuemax': '100',
      },
      element('span', { class: 'side reference' }, 'Reference'),
      element('span', { class: 'grip' }),
      element('span', { class: 'side live' }, 'Live'),
    );
    this.#handlePointer();
    this.root.addEventListener('keydown', (event) => {
      const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!direction) return;
      this.set(this.#panel.session.wishes.compare.split + direction * KEY_STEP);
      event.stopPropagation();
      event.preventDefault();
    });
  }

  /** Share of the picture's width. */
  set(split: number): void {
    this.#panel.session.wishes.compare.split = Math.min(Math.max(split, 0), 1);
    this.#panel.actions.wish();
  }

  changed(): void {
    this.moved();
  }

  closed(): void {
    this.root.hidden = true;
  }

  moved(): void {
    const { wishes, placement } = this.#panel.session;
    const { mode, split } = wishes.compare;
    this.root.hidden = mode !== 'swipe' || !placement;
    if (this.root.hidden || !placement) return;
    const css = (devicePixels: number) => `${devicePixels / devicePixelRatio}px`;
    Object.assign(this.root.style, { left: css(placement.left + split * placement.width), top: css(placement.top), height: css(placement.height) });
    this.root.setAttribute('aria-valuenow', String(Math.round(split * 100)));
  }

  #handlePointer(): void {
    this.root.addEventListener('pointerdown', (event) => {
      event.stopPropagation();
      this.root.setPointerCapture(event.pointerId);
    });
    this.root.addEventListener('pointermove', (event) => {
      event.stopPropagation();
      const { placement } = this.#panel.session;
      if (!this.root.hasPointerCapture(event.pointerId) || !placement) return;
      const box = this.#panel.stage.root.getBoundingClientRect();
      this.set(((event.clientX - box.left) * devicePixelRatio - placement.left) / placement.width);
    });
    for (const name of ['pointerup', 'dblclick'] as const) this.root.addEventListener(name, (event) => event.stopPropagation());
  }
}
