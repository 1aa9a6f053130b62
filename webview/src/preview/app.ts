import type { FrameInfo, PixelValue } from '../../../helper/protocol/frames';
import type { PanelInspection } from '../../../helper/protocol/webview';
import { type Actions, EXPOSURE_LIMIT, EXPOSURE_STEP } from './actions';
import { oneToOne, panned, type Size, toTexel, zoomed } from './camera';
import { describePicture, describePixel } from './describe';
import { type Host, SAVE_TIMEOUT_MS } from './host';
import { answerInspections } from './inspection';
import { handleKeys } from './keys';
import { createStage, mount, observeSize, type Stage } from './layout';
import { Notice } from './notice';
import { Painter } from './painter';
import { handlePointer } from './pointer';
import { Probe } from './probe';
import { RateMeter } from './rate';
import { Session } from './session';
import { defaultLook, type Look, type PanelState } from './state';
import { StatusLine } from './status-line';
import { Toolbar } from './toolbar';

/** Milliseconds between two readings of the pixel, the screen-reader text and the rate while pictures move. */
const PROBE_INTERVAL = 100;
const DESCRIPTION_INTERVAL = 2000;
const RATE_INTERVAL = 500;

/** The preview panel: joins state, controls, engine session and canvas. */
export class App implements Actions {
  readonly #host: Host;
  readonly #state: PanelState;
  readonly #remember: () => void;
  readonly #stage: Stage;
  readonly #painter: Painter;
  readonly #session: Session;
  readonly #toolbar: Toolbar;
  readonly #status = new StatusLine();
  readonly #notice: Notice;
  readonly #probe: Probe;
  readonly #rate = new RateMeter();
  #dropped = 0;
  #probedAt = 0;
  #describedAt = 0;
  #wasAnomalous = false;

  constructor(host: Host, state: PanelState, remember: () => void) {
    this.#host = host;
    this.#state = state;
    this.#remember = remember;
    bindMethods(this);
    this.#probe = new Probe(
      (x, y) => host.request('pixel', { x, y }),
      (pixel, byKey) => this.#showPixel(pixel, byKey),
    );
    this.#stage = createStage(this.#probe.marker);
    this.#painter = new Painter(this.#stage.canvas);
    this.#session = new Session(host, state, () => this.#painter.size);
    this.#toolbar = new Toolbar(this);
    this.#notice = new Notice((name) => host.notify('action', { name }));
    mount(this.#toolbar, this.#stage, this.#notice, this.#status);
    handlePointer(this.#stage.root, this);
    handleKeys(this.#stage.root, this, (steps) => this.#stepExposure(steps));
    this.#listen();
  }

  async start(): Promise<void> {
    this.#notice.waiting('Starting the GPU engine…');
    observeSize(this.#stage.canvas, (size) => this.#resize(size));
    setInterval(() => this.#status.setRate(this.#rate.perSecond(performance.now()), this.#dropped, this.#state.paused), RATE_INTERVAL);
    await this.#attempt(async () => {
      await this.#session.start();
      await this.#open();
    });
  }

  togglePause(): void {
    this.#state.paused = !this.#state.paused;
    this.#announce(this.#state.paused ? 'Paused' : 'Running');
    this.#changed();
  }

  fit(): void {
    this.#state.camera = { fit: true };
    this.#moved();
  }

  oneToOne(): void {
    this.#state.camera = oneToOne(this.#state.camera, this.#session.frameSize, this.#painter.size);
    this.#moved();
  }

  zoom(factor: number, anchor = middle(this.#painter.size)): void {
    this.#state.camera = zoomed(this.#state.camera, factor, anchor, this.#session.frameSize, this.#painter.size);
    this.#moved();
  }

  pan(x: number, y: number): void {
    this.#state.camera = panned(this.#state.camera, { x, y }, this.#session.frameSize, this.#painter.size);
    this.#moved();
  }

  selectOutput(source: string, output: string): void {
    const before = this.#session.source?.id;
    Object.assign(this.#state, { source, output });
    this.#changed();
    this.#announce(`Output ${output}`);
    if (source !== before) void this.#attempt(() => this.#open());
  }

  changeLook(change: Partial<Look>): void {
    Object.assign(this.#session.look, change);
    this.#changed();
  }

  resetLook(): void {
    if (this.#session.output) this.changeLook(defaultLook(this.#session.output));
  }

  save(): void {
    void this.#host
      .request('save', {}, SAVE_TIMEOUT_MS)
      .then((saved) => saved && this.#announce(`Saved ${saved.file}`))
      // The extension has told the user why.
      .catch(() => this.#announce('Not saved'));
  }

  probe(at: { x: number; y: number } | null): void {
    this.#probe.point(at, this.#session.viewport, this.#session.frameSize);
    this.#probe.placeMarker(this.#session.viewport);
  }

  moveProbe(x: number, y: number): void {
    const start = toTexel(this.#session.viewport, middle(this.#painter.size));
    this.#probe.step({ x, y }, start, this.#session.frameSize);
    this.#probe.placeMarker(this.#session.viewport);
  }

  inspect(pixels: number[]): PanelInspection {
    const { placement, viewport, output, source } = this.#session;
    return {
      device: source?.device ?? '',
      outputs: source?.outputs.map(({ name }) => name) ?? [],
      output: output?.name ?? '',
      paused: this.#state.paused,
      scale: viewport.scale,
      placement: placement && { left: placement.left, top: placement.top, rect: placement.rect },
      canvas: this.#painter.size,
      pixels,
      info: this.#painter.shown?.info ?? null,
      drawn: this.#painter.drawn,
      description: this.#stage.canvas.getAttribute('aria-label') ?? '',
      failure: this.#notice.failure,
    };
  }

  #listen(): void {
    this.#host.onNotification('picture', ({ info, bytes }) => void this.#showPicture(info, bytes));
    this.#host.onNotification('failed', ({ message, nextStep }) => this.#failed(message, nextStep));
    this.#host.onNotification('restarted', ({ sources }) => {
      this.#session.sources = sources;
      void this.#attempt(() => this.#open());
    });
    answerInspections(this.#host, this, this.#painter, () => this.#session);
  }

  async #open(): Promise<void> {
    this.#notice.waiting('Waiting for the first picture…');
    if (await this.#session.open()) this.#changed();
    else if (this.#session.sources.length === 0) this.#failed('The engine offers nothing to show.', 'Restart the helpers, or look into the log.');
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { message, nextStep } = error as { message: string; nextStep?: string };
      this.#failed(message, nextStep || 'Restart the helpers, or look into the log.');
    }
  }

  #failed(message: string, nextStep: string): void {
    this.#session.closed();
    this.#notice.failed(message, nextStep);
  }

  async #showPicture(info: FrameInfo, bytes: ArrayBuffer): Promise<void> {
    const rect = info.rect ?? this.#session.placement?.rect;
    try {
      const shown = rect && (await this.#painter.show({ info, rect }, bytes, () => this.#session.viewport));
      if (shown) this.#pictureShown(info);
    } catch {
      this.#announce('A picture could not be decoded');
    } finally {
      this.#host.notify('credit', { credits: 1 });
    }
  }

  #pictureShown(info: FrameInfo): void {
    const now = performance.now();
    if (this.#notice.failure === null) this.#notice.hide();
    this.#rate.tick(now);
    this.#dropped = info.dropped;
    this.#holdFirstRange(info);
    this.#toolbar.look.setExtremes([info.stats.min, info.stats.max]);
    this.#status.setPicture(info, this.#session.viewport.scale);
    if (now - this.#probedAt > PROBE_INTERVAL) {
      this.#probedAt = now;
      this.#probe.refresh();
    }
    this.#describe(info, now);
  }

  /** Depth and data keep the range of their first picture, so that colours mean the same from frame to frame. */
  #holdFirstRange({ output, stats }: FrameInfo): void {
    if (!this.#session.look.holdFirstRange || output !== this.#session.output?.name || stats.max <= stats.min) return;
    this.changeLook({ range: [stats.min, stats.max], holdFirstRange: false });
  }

  #describe(info: FrameInfo, now: number): void {
    const isAnomalous = info.stats.nan + info.stats.inf > 0;
    if (isAnomalous && !this.#wasAnomalous) this.#announce(describePicture(info, this.#state.paused));
    this.#wasAnomalous = isAnomalous;
    if (now - this.#describedAt < DESCRIPTION_INTERVAL && !info.lossless && this.#painter.drawn > 1) return;
    this.#describedAt = now;
    this.#stage.canvas.setAttribute('aria-label', describePicture(info, this.#state.paused));
  }

  #showPixel(pixel: PixelValue | null, byKey: boolean): void {
    this.#status.setPixel(pixel);
    if (pixel && byKey) this.#announce(describePixel(pixel));
  }

  #stepExposure(steps: number): void {
    const exposure = this.#session.look.exposure + steps * EXPOSURE_STEP;
    this.changeLook({ exposure: Math.min(Math.max(exposure, -EXPOSURE_LIMIT), EXPOSURE_LIMIT) });
    this.#announce(`Exposure ${this.#session.look.exposure}`);
  }

  #resize(size: Size): void {
    this.#painter.resize(size, () => this.#session.viewport);
    this.#moved();
    if (!this.#session.isOpen && this.#session.sources.length > 0 && this.#notice.failure === null) void this.#attempt(() => this.#open());
  }

  #moved(): void {
    this.#painter.redraw(this.#session.viewport);
    this.#probe.placeMarker(this.#session.viewport);
    const info = this.#painter.shown?.info;
    if (info) this.#status.setPicture(info, this.#session.viewport.scale);
    this.#session.scheduleUpdate();
    this.#remember();
  }

  /** Shows the state in the controls and tells the engine. */
  #changed(): void {
    const { source, output, look, sources } = this.#session;
    if (source && output) {
      this.#toolbar.setOutputs(sources, source.id, output.name);
      this.#toolbar.update(output, look, this.#state.paused);
      this.#status.setSource(source);
    }
    this.#moved();
  }

  #announce(text: string): void {
    this.#stage.live.textContent = text;
  }
}

function middle({ width, height }: Size): { x: number; y: number } {
  return { x: width / 2, y: height / 2 };
}

/** Controls take the actions as plain functions. */
function bindMethods(app: App): void {
  for (const name of ['togglePause', 'fit', 'oneToOne', 'resetLook', 'save'] as const) app[name] = app[name].bind(app);
}
