import type { FrameInfo } from '../../../helper/protocol/frames';
import type { PanelView } from '../../../helper/protocol/webview';
import { element } from '../shared/dom';
import { fitScale, type Point, type Size } from './camera';
import type { Feature, Panel } from './feature';
import { START_TIMEOUT_MS } from './link';
import { Painter } from './painter';
import { NO_COMPARISON } from './session';

/** CSS pixels. */
const MOST: Size = { width: 144, height: 108 };
/** A picture this small needs its room for itself. */
const LEAST_STAGE = 260;

/** The whole frame in a corner while only a part of it is on the canvas; dragging in it moves the picture. */
export class Minimap implements Feature {
  readonly #canvas = element('canvas', { 'aria-hidden': 'true' });
  readonly #window = element('div', { class: 'window' });
  readonly root = element('div', { class: 'minimap', hidden: true, title: 'The whole frame. Drag to move the picture.' }, this.#canvas, this.#window);
  readonly #panel: Panel;
  readonly #painter = new Painter(this.#canvas);
  /** The source that the engine was asked for; null: no stream. */
  #source: string | null = null;
  #asked = '';

  constructor(panel: Panel) {
    this.#panel = panel;
    this.#handlePointer();
  }

  changed(): void {
    this.moved();
  }

  moved(): void {
    const { frameSize, placement, isOpen } = this.#panel.session;
    const stage = this.#panel.stage.root;
    const room = Math.min(stage.clientWidth, stage.clientHeight) >= LEAST_STAGE;
    const partly = isOpen && placement !== null && (placement.rect.width < frameSize.width - 1e-3 || placement.rect.height < frameSize.height - 1e-3);
    this.root.hidden = !partly || !room;
    if (this.root.hidden) this.#close();
    else this.#show();
  }

  closed(): void {
    this.#source = null;
    this.#asked = '';
    this.root.hidden = true;
    this.#painter.clear();
  }

  async show(info: FrameInfo, bytes: ArrayBuffer): Promise<void> {
    const rect = info.rect ?? { x: 0, y: 0, width: info.frameWidth, height: info.frameHeight };
    const view = () => ({ scale: this.#canvas.width / this.#panel.session.frameSize.width, left: 0, top: 0 });
    await this.#painter.show({ info, rect }, bytes, view).catch(() => false);
  }

  #show(): void {
    const { frameSize, placement } = this.#panel.session;
    const scale = fitScale(frameSize, MOST);
    const size = { width: Math.max(1, Math.round(frameSize.width * scale)), height: Math.max(1, Math.round(frameSize.height * scale)) };
    Object.assign(this.root.style, { width: `${size.width}px`, height: `${size.height}px` });
    const { x, y, width, height } = placement!.rect;
    const share = (value: number, extent: number) => `${(value / extent) * 100}%`;
    Object.assign(this.#window.style, {
      left: share(x, frameSize.width),
      top: share(y, frameSize.height),
      width: share(width, frameSize.width),
      height: share(height, frameSize.height),
    });
    this.#ask({ width: Math.round(size.width * devicePixelRatio), height: Math.round(size.height * devicePixelRatio) });
  }

  #ask(size: Size): void {
    const { session, host, state } = this.#panel;
    const view: PanelView = {
      ...session.viewOf({ ...size, rect: { x: 0, y: 0, ...session.frameSize } }, NO_COMPARISON),
      wantHistogram: false,
      wantMetrics: false,
    };
    const source = session.source?.id ?? '';
    const asked = JSON.stringify([source, view, state.paused]);
    if (asked === this.#asked) return;
    const isNew = this.#source !== source;
    this.#source = source;
    this.#asked = asked;
    this.#painter.resize(size, () => ({ scale: size.width / session.frameSize.width, left: 0, top: 0 }));
    if (!isNew) host.notify('update', { stream: 'map', view, paused: state.paused });
    else host.request('open', { stream: 'map', source, view, paused: state.paused }, START_TIMEOUT_MS).catch(() => this.closed());
  }

  #close(): void {
    if (this.#source === null) return;
    this.#panel.host.notify('close', { stream: 'map' });
    this.closed();
  }

  #handlePointer(): void {
    const go = (event: PointerEvent) => {
      const box = this.root.getBoundingClientRect();
      const { width, height } = this.#panel.session.frameSize;
      const texel: Point = { x: ((event.clientX - box.left) / box.width) * width, y: ((event.clientY - box.top) / box.height) * height };
      this.#panel.actions.center(texel);
    };
    this.root.addEventListener('pointerdown', (event) => {
      event.stopPropagation();
      this.root.setPointerCapture(event.pointerId);
      go(event);
    });
    this.root.addEventListener('pointermove', (event) => {
      event.stopPropagation();
      if (this.root.hasPointerCapture(event.pointerId)) go(event);
    });
    for (const name of ['pointerup', 'dblclick', 'click'] as const) this.root.addEventListener(name, (event) => event.stopPropagation());
  }
}
