import type { Compare, FrameInfo, OutputDescription, SourceDescription } from '../../../helper/protocol/frames';
import { PROTOCOL_VERSION } from '../../../helper/protocol/version';
import type { PanelView } from '../../../helper/protocol/webview';
import { type Placement, placement, type Size, type Viewport, viewport } from './camera';
import { differenceLook, differenceOf, isSigned, placementOf, withPlacement } from './difference-look';
import { type Host, START_TIMEOUT_MS } from './link';
import { Successors, sourceFor, withWatched } from './source-choice';
import { defaultLook, type Look, type PanelState } from './state';

/** Until a source is opened nobody knows what it offers: this is assumed, and corrected by the answer to the first `open`. */
const ASSUMED: OutputDescription = { name: 'color', kind: 'color', width: 1280, height: 720, channels: 4, dtype: 'u8', colorSpace: 'srgb' };

/** Stands for the first output of a source that nobody has opened yet. */
const FIRST_OUTPUT = '*';

export const NO_COMPARISON: Readonly<Compare> = { mode: 'off', reference: 0, split: 0.5 };

/** What is asked of the engine beside the look; lives as long as the engine's view. */
export interface Wishes {
  compare: Compare;
  /** A kept frame in place of the newest one. */
  history: number | null;
  histogram: boolean;
}

/** Which output is shown and what the engine was told about it. */
export class Session {
  readonly wishes: Wishes = { compare: { ...NO_COMPARISON }, history: null, histogram: false };
  readonly #host: Host;
  readonly #state: PanelState;
  readonly #canvasSize: () => Size;
  #updateScheduled = false;
  #sources: SourceDescription[] = [];
  readonly #successors = new Successors();
  #isOpen = false;
  #opening = 0;
  #lastSize: Size = { width: 1, height: 1 };

  constructor(host: Host, state: PanelState, canvasSize: () => Size) {
    this.#host = host;
    this.#state = state;
    this.#canvasSize = canvasSize;
  }

  get sources(): SourceDescription[] {
    return withWatched(this.#sources, this.#state);
  }

  set sources(sources: SourceDescription[]) {
    this.#sources = sources;
    const heir = this.#successors.follow(sources, this.#state.source, this.#state.sourceLabel, performance.now());
    if (heir) Object.assign(this.#state, { source: heir.id, sourceLabel: heir.label });
  }

  get source(): SourceDescription | undefined {
    return sourceFor(this.sources, this.#state);
  }

  /** What the panel shows when its source is not there (any more). */
  get missing(): { id: string; label: string; output: string } | null {
    const { source, sourceLabel, output } = this.#state;
    return source === null || this.source ? null : { id: source, label: sourceLabel ?? source, output: output ?? '' };
  }

  get output(): OutputDescription | undefined {
    const { source } = this;
    if (source?.outputs.length === 0) return { ...ASSUMED, name: this.#state.output || (source.kind === 'scene' ? ASSUMED.name : FIRST_OUTPUT) };
    return source?.outputs.find(({ name }) => name === this.#state.output) ?? source?.outputs[0];
  }

  /** What the picture is drawn from: the output, or its difference from the reference. */
  get drawn(): OutputDescription | undefined {
    return this.output && this.showsDifference ? differenceOf(this.output) : this.output;
  }

  get showsDifference(): boolean {
    return this.wishes.compare.mode === 'difference';
  }

  /** Of what is drawn. */
  get look(): Look {
    return this.#lookOf(this.wishes.compare);
  }

  changeLook(change: Partial<Look>): void {
    Object.assign(this.look, change);
    if (this.showsDifference) Object.assign(this.#lookOf(NO_COMPARISON), placementOf(change));
  }

  #lookOf({ mode }: Compare): Look {
    const output = this.output ?? ASSUMED;
    const look = this.#remembered(output.name, defaultLook(output));
    return mode === 'difference' ? withPlacement(this.#remembered(`${output.name}/difference`, differenceLook(output)), look) : look;
  }

  #remembered(name: string, fresh: Look): Look {
    const key = `${this.source?.label}/${name}`;
    const remembered = { ...fresh, ...this.#state.looks[key] };
    // What is only assumed is not remembered.
    if (this.source?.outputs.length) this.#state.looks[key] = remembered;
    return remembered;
  }

  get viewport(): Viewport {
    return viewport(this.#state.camera, this.frameSize, this.#canvasSize());
  }

  /** Null: nothing of the frame is on the canvas. */
  get placement(): Placement | null {
    return placement(this.viewport, this.frameSize, this.#canvasSize());
  }

  /** Of the output, or of the last picture of a source that is gone. */
  get frameSize(): Size {
    return this.output ?? this.#lastSize;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isOpening(): boolean {
    return this.#opening > 0;
  }

  async start(): Promise<void> {
    const { sources, source } = await this.#host.request('start', { protocolVersion: PROTOCOL_VERSION }, START_TIMEOUT_MS);
    this.sources = sources;
    if (source && this.#state.source === null) Object.assign(this.#state, { source: source.id, sourceLabel: source.label, chosen: true });
  }

  /** Opens the chosen output; false when there is nothing to show or no room to show it. */
  async open(): Promise<boolean> {
    const view = this.#view();
    const source = this.source;
    if (!source || !view) return false;
    this.#isOpen = false;
    Object.assign(this.#state, { source: source.id, sourceLabel: source.label });
    const { paused } = this.#state;
    this.#opening++;
    try {
      const opened = await this.#host.request('open', { stream: 'main', source: source.id, view, paused }, START_TIMEOUT_MS);
      this.replaceSource(opened.source);
      // Another source may have been chosen meanwhile: its answer is under way.
      this.#isOpen = opened.source.id === this.source?.id;
    } finally {
      this.#opening--;
    }
    return true;
  }

  replaceSource(source: SourceDescription): void {
    this.sources = this.sources.map((each) => (each.id === source.id ? source : each));
  }

  /** Size and format may change with every frame. True: they did. */
  noteFrame({ output: name, frameWidth, frameHeight, format }: FrameInfo): boolean {
    this.#lastSize = { width: frameWidth, height: frameHeight };
    const { source, output } = this;
    if (!source || !output || output.name !== name) return false;
    const now = { ...output, width: frameWidth, height: frameHeight, ...format, ...liveState(output) };
    if (JSON.stringify(now) === JSON.stringify(output)) return false;
    this.replaceSource({ ...source, outputs: source.outputs.map((each) => (each.name === name ? now : each)) });
    return true;
  }

  /** The engine's view is gone, and its references with it. */
  closed(): void {
    this.#isOpen = false;
    Object.assign(this.wishes.compare, { mode: 'off', reference: 0 });
    this.wishes.history = null;
  }

  /** Tells the engine about camera, look and size, once for all changes of this turn. */
  scheduleUpdate(): void {
    if (this.#updateScheduled || !this.#isOpen) return;
    this.#updateScheduled = true;
    queueMicrotask(() => {
      this.#updateScheduled = false;
      const view = this.#view();
      if (view && this.#isOpen) this.#host.notify('update', { stream: 'main', view, paused: this.#state.paused });
    });
  }

  /** The look and the wishes of this output for any part of its frame. */
  viewOf({ rect, width, height }: Pick<PanelView, 'rect' | 'width' | 'height'>, compare = this.wishes.compare): PanelView {
    const look = this.#lookOf(compare);
    const { exposure, gamma, toneMap, falseColor, range, channels, flipY, swapRb, marks, batch } = look;
    const { history, histogram } = this.wishes;
    return {
      output: this.output?.name ?? ASSUMED.name,
      width,
      height,
      rect,
      exposure,
      gamma,
      toneMap,
      falseColor,
      range,
      channelMask: channels,
      flipY,
      swapRb,
      overlayNan: marks.nan,
      overlayInf: marks.inf,
      overlayNegative: marks.negative,
      overlayClip: marks.clipping,
      batch,
      compare: { ...compare, signed: isSigned(look) },
      history,
      wantHistogram: histogram,
      wantMetrics: compare.reference > 0,
    };
  }

  /** Null: no output, or none of it on the canvas. */
  #view(): PanelView | null {
    const placed = this.output && this.placement;
    return placed ? this.viewOf(placed) : null;
  }
}

/** A picture proves that frames come, before the list of sources says so. */
function liveState({ state }: OutputDescription): Partial<OutputDescription> {
  return state === 'announced' || state === 'waiting' ? { state: 'live' } : {};
}
