import type { EngineRequests } from '../../../helper/protocol/engine';
import type { OutputDescription, RecordingState, SourceDescription, ViewParams } from '../../../helper/protocol/frames';
import type { Picture } from '../../../helper/protocol/picture-assembler';
import type { PanelView } from '../../../helper/protocol/webview';
import { CreditWindow } from './credit-window';
import { isWorthANewSize, type Size, sceneSize, showsAll, wholeOf } from './scene-size';

export type PanelRates = Pick<ViewParams, 'maxRate' | 'jpegQuality' | 'encoding'>;

/** The panel is being dragged until its size has stayed for this long. */
const SETTLED_MS = 600;
const SCENE = 'scene';

/** What is drawn only to go on recording. */
const UNSEEN = { width: 16, height: 16, wantHistogram: false, wantMetrics: false };

/** Requests about one view. */
export type ViewMethod = Exclude<Extract<keyof EngineRequests, `view/${string}`>, 'view/open' | 'view/update' | 'view/close'>;

/** What a stream needs of the engine. */
export interface StreamEngine {
  readonly state: string;
  request<M extends keyof EngineRequests>(method: M, params: EngineRequests[M]['params']): Promise<EngineRequests[M]['result']>;
  grant(viewId: number, credits: number): void;
}

/** One view of the engine and its flow control. Survives the panel's document, which VS Code throws away while the panel is hidden. */
export class PictureStream {
  readonly #engine: StreamEngine;
  readonly #rates: () => PanelRates;
  readonly #onPicture: (picture: Picture) => void;
  readonly #leader: PictureStream | undefined;
  #viewId: number | undefined;
  #source: SourceDescription | undefined;
  #outputName: string | undefined;
  /** Pictures the engine may still send. */
  #credits = 0;
  readonly #window = new CreditWindow();
  #opening: Promise<unknown> = Promise.resolve();
  #userPaused = false;
  #hidden = false;
  #view: PanelView | undefined;
  /** Pixels of the scene's frames, while the scene is shown. */
  #sceneSize: Size | undefined;
  /** The engine holds frames for this view that a new one would not have. */
  #keepsFrames = false;
  #settling: NodeJS.Timeout | undefined;
  /** The engine writes the frames of this view to files. */
  #recording = false;
  readonly #onRecorded: (recording: RecordingState) => void;

  /** `onRecorded`: a recording has ended by itself. `leader`: a stream whose source this one is to share. */
  constructor(
    engine: StreamEngine,
    rates: () => PanelRates,
    onPicture: (picture: Picture) => void,
    { leader, onRecorded = () => {} }: { leader?: PictureStream; onRecorded?: (recording: RecordingState) => void } = {},
  ) {
    this.#onRecorded = onRecorded;
    this.#engine = engine;
    this.#rates = rates;
    this.#onPicture = onPicture;
    this.#leader = leader;
  }

  get viewId(): number | undefined {
    return this.#viewId;
  }

  /** Pixels of the scene's frames; undefined while another source or none is shown. */
  get sceneSize(): Size | undefined {
    return this.#sceneSize;
  }

  get output(): OutputDescription | undefined {
    return this.#source?.outputs.find(({ name }) => name === this.#outputName);
  }

  /** Shows `view` of a source. A view that is open on the same source goes on, with its paused frame. */
  open(source: string, view: PanelView, paused: boolean): Promise<SourceDescription> {
    // One after the other: of two views opened at once one would be forgotten open.
    const opened = this.#opening.then(() => this.#openNext(source, view, paused));
    this.#opening = opened.catch(() => {});
    return opened;
  }

  update(view: Partial<PanelView>, paused = this.#userPaused): void {
    this.#userPaused = paused;
    this.#outputName = view.output ?? this.#outputName;
    // The view may be gone together with its engine: that is reported by the engine's state.
    void this.#update(view).catch(() => {});
    this.#resized();
  }

  /** The panel has drawn pictures. */
  drawn(count: number): void {
    this.#window.drawn(count, performance.now());
    this.#grant();
  }

  /** A hidden panel gets no pictures; the engine stops rendering for it, unless it records. */
  setHidden(hidden: boolean): void {
    if (this.#hidden === hidden) return;
    const wasUnseen = this.#recordsUnseen;
    this.#hidden = hidden;
    this.update((wasUnseen && this.#view) || {});
    this.#keepRecording();
  }

  deliver(picture: Picture): void {
    if (picture.info.viewId !== this.#viewId) return;
    this.#credits--;
    this.#noteRecording(picture.info.recording);
    if (!this.#recordsUnseen) {
      this.#window.sent(performance.now());
      this.#onPicture(picture);
    }
    this.#keepRecording();
  }

  /** Asks the engine about the view. */
  ask<M extends ViewMethod>(method: M, params: Omit<EngineRequests[M]['params'], 'viewId'>): Promise<EngineRequests[M]['result']> {
    if (/pin$|record/.test(method)) this.#keepsFrames = true;
    if (method === 'view/recordStop') this.#recording = false;
    if (this.#viewId === undefined)
      return Promise.reject(Object.assign(new Error('No picture is shown.'), { nextStep: 'Wait for the preview to start.' }));
    const answer = this.#engine.request(method, { ...params, viewId: this.#viewId } as EngineRequests[M]['params']);
    if (method === 'view/record') void answer.then(() => this.#recordingBegun()).catch(() => {});
    return answer;
  }

  /** A recording that runs ends with what it has, and that is told. */
  async close(): Promise<void> {
    const viewId = this.#viewId;
    const recorded = this.#recording;
    this.forget();
    if (viewId === undefined || this.#engine.state !== 'running') return;
    if (recorded) await this.#engine.request('view/recordStop', { viewId }).then(this.#onRecorded, () => {});
    await this.#engine.request('view/close', { viewId }).catch(() => {});
  }

  /** The engine that had the view is gone. */
  forget(): void {
    clearTimeout(this.#settling);
    this.#viewId = undefined;
    this.#source = undefined;
    this.#sceneSize = undefined;
    this.#keepsFrames = false;
    this.#recording = false;
    this.#credits = 0;
    this.#window.forget();
  }

  get #recordsUnseen(): boolean {
    return this.#hidden && this.#recording;
  }

  /** Nobody draws the pictures of a hidden panel: they are as good as drawn. */
  #keepRecording(): void {
    if (!this.#recordsUnseen) return;
    this.#window.forget();
    this.#grant();
  }

  #recordingBegun(): void {
    this.#recording = true;
    if (!this.#recordsUnseen) return;
    this.update({});
    this.#keepRecording();
  }

  #noteRecording(recording: RecordingState | undefined): void {
    const ended = this.#recording && recording?.running === false;
    this.#recording = recording?.running ?? false;
    if (!ended || !recording) return;
    if (this.#hidden) this.update({});
    this.#onRecorded(recording);
  }

  async #openNext(source: string, view: PanelView, paused: boolean): Promise<SourceDescription> {
    this.#userPaused = paused;
    this.#outputName = view.output;
    if (this.#viewId !== undefined && this.#source?.id === source) await this.#update(view);
    else await this.#openNew(source, view);
    // What was on its way died with the document that asked before.
    this.#window.forget();
    this.#grant();
    return this.#source!;
  }

  async #openNew(source: string, view: PanelView): Promise<void> {
    await this.close();
    const size = source === SCENE ? (this.#leader?.sceneSize ?? sceneSize(view)) : undefined;
    // The document has not seen a frame of this size yet.
    const fitted = size && showsAll(view, size) ? { rect: wholeOf(size) } : {};
    const opened = await this.#engine.request('view/open', {
      source,
      view: { ...view, ...fitted, ...this.#rates() },
      ...(size && { size }),
    });
    this.#viewId = opened.viewId;
    this.#source = opened.source;
    this.#view = { ...view, ...fitted };
    this.#sceneSize = size;
    if (this.#userPaused || this.#hidden) await this.#update({});
  }

  async #update(view: Partial<PanelView>): Promise<void> {
    if (this.#viewId === undefined) return;
    if (this.#view) this.#view = { ...this.#view, ...view };
    await this.#engine.request('view/update', {
      viewId: this.#viewId,
      view: { ...view, ...(this.#recordsUnseen && UNSEEN), ...this.#rates() },
      paused: this.#userPaused || (this.#hidden && !this.#recording),
    });
  }

  /** A panel that shows the whole scene gets it in its own size, once that stays. */
  #resized(): void {
    clearTimeout(this.#settling);
    const [view, now] = [this.#view, this.#sceneSize];
    if (!view || !now || this.#leader || this.#userPaused || this.#hidden || this.#keepsFrames) return;
    const wanted = sceneSize(view);
    if (!showsAll(view, now) || !isWorthANewSize(now, wanted)) return;
    this.#settling = setTimeout(() => {
      const resized = { ...(this.#view ?? view), rect: wholeOf(wanted) };
      this.#opening = this.#opening
        .then(() => this.#openNew(SCENE, resized))
        .then(
          () => this.#grant(),
          () => {},
        );
    }, SETTLED_MS);
  }

  /** As many as the way has room for. */
  #grant(): void {
    const count = this.#window.size - this.#window.underWay - this.#credits;
    if (count <= 0 || this.#viewId === undefined) return;
    this.#credits += count;
    this.#engine.grant(this.#viewId, count);
  }
}
