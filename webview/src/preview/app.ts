import type { FrameInfo } from '../../../helper/protocol/frames';
import type { HostNotifications, PanelInspection } from '../../../helper/protocol/webview';
import type { Actions } from './actions';
import { oneToOne, panned, type Size, zoomed } from './camera';
import { describePixel } from './describe';
import { differenceLook, ownRange } from './difference-look';
import type { Panel } from './feature';
import { focusableNames } from './focusable';
import { copyPicture } from './host';
import { createStage, observeSize, type Stage } from './layout';
import { type Host, SAVE_TIMEOUT_MS } from './link';
import { Notice } from './notice';
import { Painter } from './painter';
import { Parts } from './parts';
import { RateMeter } from './rate';
import { Readable } from './readable';
import { Recorder } from './recorder';
import { saveFrame } from './save';
import { Session } from './session';
import { defaultLook, type Look, type PanelState } from './state';

const RATE_INTERVAL = 500;
const ANY_STEP = 'Restart the helpers, or look into the log.';

/** The preview panel: joins state, engine session, canvas and the features that follow them. */
export class App implements Actions, Panel {
  readonly host: Host;
  readonly state: PanelState;
  readonly remember: () => void;
  readonly stage: Stage;
  readonly painter: Painter;
  readonly session: Session;
  readonly #notice: Notice;
  readonly #parts: Parts;
  readonly #recorder: Recorder;
  readonly #rate = new RateMeter();
  readonly #numbers = new Readable<FrameInfo>((info) => {
    for (const part of this.#parts.features) part.numbersShown?.(info);
  });

  constructor(host: Host, state: PanelState, remember: () => void) {
    this.host = host;
    this.state = state;
    this.remember = remember;
    bindMethods(this);
    this.stage = createStage();
    this.painter = new Painter(this.stage.canvas);
    this.session = new Session(host, state, () => this.painter.size);
    this.#notice = new Notice((name) => host.notify('action', { name }));
    this.#recorder = new Recorder(this);
    this.#parts = new Parts(this, this.#notice);
    this.#listen();
  }

  get actions(): Actions {
    return this;
  }

  async start(): Promise<void> {
    this.#notice.waiting('Starting the GPU engine…');
    observeSize(this.stage.canvas, (size) => this.#resize(size));
    setInterval(() => this.#parts.status.setRate(this.#rate.perSecond(performance.now())), RATE_INTERVAL);
    await this.#attempt(async () => {
      await this.session.start();
      await this.#open();
    });
  }

  togglePause(): void {
    this.state.paused = !this.state.paused;
    this.announce(this.state.paused ? 'Paused' : 'Running');
    this.#changed();
  }

  step(): void {
    this.#parts.transport.step(1);
  }

  fit(): void {
    this.state.camera = { fit: true };
    this.#moved();
  }

  oneToOne(): void {
    this.state.camera = oneToOne(this.state.camera, this.session.frameSize, this.painter.size);
    this.#moved();
  }

  zoom(factor: number, anchor = middle(this.painter.size)): void {
    this.state.camera = zoomed(this.state.camera, factor, anchor, this.session.frameSize, this.painter.size);
    this.#moved();
  }

  pan(x: number, y: number): void {
    this.state.camera = panned(this.state.camera, { x, y }, this.session.frameSize, this.painter.size);
    this.#moved();
  }

  center(texel: { x: number; y: number }): void {
    const { viewport } = this.session;
    const at = middle(this.painter.size);
    this.pan(at.x - (viewport.left + texel.x * viewport.scale), at.y - (viewport.top + texel.y * viewport.scale));
  }

  selectOutput(source: string, output: string): void {
    const before = this.session.source?.id;
    const label = this.session.sources.find(({ id }) => id === source)?.label ?? this.state.sourceLabel;
    Object.assign(this.state, { source, sourceLabel: label, output: output || null, chosen: true });
    this.session.wishes.history = null;
    this.#changed();
    this.announce(`Output ${output}`);
    if (source !== before || !this.session.isOpen) void this.#attempt(() => this.#open());
  }

  watchFiles(): void {
    void this.#attempt(async () => {
      const source = await this.host.request('watchFiles', {}, SAVE_TIMEOUT_MS);
      if (!source) return;
      // The list of sources has it from now on, by the panel's state.
      Object.assign(this.state, { source: source.id, sourceLabel: source.label, output: null, chosen: true });
      this.#reopen();
    });
  }

  changeLook(change: Partial<Look>): void {
    this.session.changeLook(change);
    this.#changed();
  }

  resetLook(): void {
    const { output, showsDifference } = this.session;
    if (output) this.changeLook(showsDifference ? differenceLook(output) : defaultLook(output));
  }

  wish(): void {
    this.#changed();
  }

  save(): void {
    saveFrame(this);
  }

  copyPicture(): void {
    copyPicture(this.painter.canvas).then(
      () => this.announce('Picture copied'),
      (error: Error) => this.announce(`Picture not copied: ${error.message}`),
    );
  }

  record(): void {
    void this.#recorder.toggle();
  }

  inspect(pixels: number[]): PanelInspection {
    const { placement, viewport, output, source } = this.session;
    const { pixel } = this.#parts.probe;
    return {
      device: source?.device ?? '',
      source: source?.label ?? '',
      outputs: source?.outputs.map(({ name }) => name) ?? [],
      output: output?.name ?? '',
      paused: this.state.paused,
      scale: viewport.scale,
      placement: placement && { left: placement.left, top: placement.top, rect: placement.rect },
      canvas: this.painter.size,
      pixels,
      info: this.painter.shown?.info ?? null,
      drawn: this.painter.drawn,
      description: this.stage.canvas.getAttribute('aria-label') ?? '',
      probe: pixel ? describePixel(pixel) : '',
      banner: this.#parts.banner.text,
      failure: this.#notice.failure,
      announced: this.stage.live.textContent ?? '',
      focusable: focusableNames(),
    };
  }

  announce(text: string): void {
    this.stage.live.textContent = text;
  }

  #listen(): void {
    this.host.onNotification('picture', (picture) => void this.#showPicture(picture));
    this.host.onNotification('failed', ({ message, nextStep }) => this.#failed(message, nextStep));
    this.host.onNotification('sources', ({ sources }) => this.#sourcesChanged(sources));
    this.host.onNotification('restarted', ({ sources }) => {
      this.session.sources = sources;
      this.#reopen();
    });
  }

  #sourcesChanged(sources: HostNotifications['sources']['sources']): void {
    const before = this.session.source?.id;
    this.session.sources = sources;
    const now = this.session.source?.id;
    if (now === before && (this.session.isOpen || this.session.isOpening || now === undefined)) this.#changed();
    else this.#reopen();
  }

  #reopen(): void {
    this.#closed();
    void this.#attempt(() => this.#open());
  }

  async #open(): Promise<void> {
    const { missing, sources } = this.session;
    this.#changed();
    if (missing) return this.#wait(missing.label);
    this.#notice.waiting('Waiting for the first picture…');
    if (await this.session.open()) this.#changed();
    else if (sources.length === 0) this.#failed('The engine offers nothing to show.', ANY_STEP);
  }

  /** For a program that has ended, or that was shown before a reload and does not run now. */
  #wait(label: string): void {
    const scene = this.session.sources.find(({ kind }) => kind === 'scene');
    const actions = scene ? [{ label: 'Show Built-in Scene', run: () => this.selectOutput(scene.id, scene.outputs[0]?.name ?? '') }] : [];
    this.#notice.waiting(`${label} is not running.`, 'Its frames appear here as soon as it publishes again.', actions);
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { message, nextStep } = error as { message: string; nextStep?: string };
      this.#failed(message, nextStep || ANY_STEP);
    }
  }

  #failed(message: string, nextStep: string): void {
    this.#closed();
    this.#notice.failed(message, nextStep);
  }

  #closed(): void {
    this.session.closed();
    this.#numbers.clear();
    for (const part of this.#parts.features) part.closed?.();
  }

  async #showPicture({ stream, info, bytes }: HostNotifications['picture']): Promise<void> {
    try {
      if (stream === 'map') await this.#parts.minimap.show(info, bytes);
      else await this.#paint(info, bytes);
    } catch {
      this.announce('A picture could not be decoded');
    } finally {
      this.host.notify('credit', { stream, credits: 1 });
    }
  }

  async #paint(info: FrameInfo, bytes: ArrayBuffer): Promise<void> {
    const changed = this.session.noteFrame(info);
    const rect = info.rect ?? this.session.placement?.rect;
    if (rect && (await this.painter.show({ info, rect }, bytes, () => this.session.viewport))) this.#shown(info);
    // Also after a picture that a newer one has overtaken: what it told is known by now.
    if (changed) this.#changed();
  }

  #shown(info: FrameInfo): void {
    if (this.#notice.failure === null) this.#notice.hide();
    this.#rate.tick(performance.now());
    this.#holdFirstRange(info);
    for (const part of this.#parts.features) part.pictureShown?.(info);
    this.#numbers.next(info, performance.now(), info.lossless || this.state.paused);
  }

  /** Depth and data keep the range of their first picture, so that colours mean the same from frame to frame. */
  #holdFirstRange({ output, stats }: FrameInfo): void {
    if (!this.session.look.holdFirstRange || output !== this.session.output?.name || stats.max <= stats.min) return;
    this.changeLook({ range: ownRange(this.session.look, [stats.min, stats.max]), holdFirstRange: false });
  }

  #resize(size: Size): void {
    this.painter.resize(size, () => this.session.viewport);
    this.#moved();
    const { isOpen, isOpening, source } = this.session;
    if (!isOpen && !isOpening && source && this.#notice.failure === null) void this.#attempt(() => this.#open());
  }

  #moved(): void {
    this.painter.redraw(this.session.viewport);
    this.session.scheduleUpdate();
    for (const part of this.#parts.features) part.moved?.();
    this.remember();
  }

  /** Shows the state in the controls and tells the engine. */
  #changed(): void {
    const { source, output } = this.session;
    for (const part of this.#parts.features) part.changed?.();
    if (source?.outputs.length && output) this.host.notify('titled', { source: source.label, output: output.name });
    this.#moved();
  }
}

function middle({ width, height }: Size): { x: number; y: number } {
  return { x: width / 2, y: height / 2 };
}

const plainFunctions = ['watchFiles', 'togglePause', 'wish', 'step', 'fit', 'oneToOne', 'resetLook', 'save', 'copyPicture', 'record'] as const;

/** Controls take the actions as plain functions. */
function bindMethods(app: App): void {
  for (const name of plainFunctions) app[name] = app[name].bind(app);
  app.announce = app.announce.bind(app);
}
