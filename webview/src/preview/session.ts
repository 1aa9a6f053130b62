import type { OutputDescription, SourceDescription } from '../../../helper/protocol/frames';
import { PROTOCOL_VERSION } from '../../../helper/protocol/version';
import type { PanelView } from '../../../helper/protocol/webview';
import { type Placement, placement, type Size, type Viewport, viewport } from './camera';
import { type Host, START_TIMEOUT_MS } from './host';
import { defaultLook, type Look, type PanelState } from './state';

/** Until a source is opened nobody knows what it offers: this is assumed, and corrected by the answer to the first `open`. */
const ASSUMED: OutputDescription = { name: 'color', kind: 'color', width: 1280, height: 720, channels: 4, dtype: 'u8', colorSpace: 'srgb' };

/** Which output is shown and what the engine was told about it. */
export class Session {
  sources: SourceDescription[] = [];
  /** The last placement that the engine was asked for. */
  placement: Placement | null = null;
  readonly #host: Host;
  readonly #state: PanelState;
  readonly #canvasSize: () => Size;
  #updateScheduled = false;
  #isOpen = false;

  constructor(host: Host, state: PanelState, canvasSize: () => Size) {
    this.#host = host;
    this.#state = state;
    this.#canvasSize = canvasSize;
  }

  get source(): SourceDescription | undefined {
    return this.sources.find(({ id }) => id === this.#state.source) ?? this.sources[0];
  }

  get output(): OutputDescription | undefined {
    const { source } = this;
    if (source?.outputs.length === 0) return { ...ASSUMED, name: this.#state.output ?? ASSUMED.name };
    return source?.outputs.find(({ name }) => name === this.#state.output) ?? source?.outputs[0];
  }

  get look(): Look {
    const output = this.output ?? ASSUMED;
    const remembered = this.#state.looks[output.name] ?? defaultLook(output);
    // What is only assumed is not remembered.
    if (this.source?.outputs.length) this.#state.looks[output.name] = remembered;
    return remembered;
  }

  get viewport(): Viewport {
    return viewport(this.#state.camera, this.frameSize, this.#canvasSize());
  }

  get frameSize(): Size {
    return this.output ?? { width: 1, height: 1 };
  }

  async start(): Promise<void> {
    const { sources } = await this.#host.request('start', { protocolVersion: PROTOCOL_VERSION }, START_TIMEOUT_MS);
    this.sources = sources;
  }

  /** Opens the chosen output; false when there is nothing to show or no room to show it. */
  async open(): Promise<boolean> {
    const view = this.#view();
    const source = this.source;
    if (!source || !view) return false;
    this.#isOpen = false;
    const opened = await this.#host.request('open', { source: source.id, view, paused: this.#state.paused }, START_TIMEOUT_MS);
    this.sources = this.sources.map((each) => (each.id === opened.source.id ? opened.source : each));
    this.#isOpen = true;
    return true;
  }

  closed(): void {
    this.#isOpen = false;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Tells the engine about camera, look and size, once for all changes of this turn. */
  scheduleUpdate(): void {
    if (this.#updateScheduled || !this.#isOpen) return;
    this.#updateScheduled = true;
    queueMicrotask(() => {
      this.#updateScheduled = false;
      const view = this.#view();
      if (view && this.#isOpen) this.#host.notify('update', { view, paused: this.#state.paused });
    });
  }

  /** Null: no output, or none of it on the canvas. */
  #view(): PanelView | null {
    const output = this.output;
    const placed = output && placement(this.viewport, output, this.#canvasSize());
    if (!output || !placed) return null;
    this.placement = placed;
    const { exposure, toneMap, falseColor, range } = this.look;
    return {
      output: output.name,
      width: placed.width,
      height: placed.height,
      rect: placed.rect,
      exposure,
      toneMap,
      falseColor,
      range,
      gamma: 1,
      channelMask: 0b1111,
      flipY: false,
      swapRb: false,
      overlayNan: true,
      overlayClip: false,
    };
  }
}
