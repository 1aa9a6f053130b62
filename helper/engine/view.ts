/** One viewer's window on one source: its parameters, its credits and the way of its pictures into the stream. */
import type { NativeView } from '../protocol/addon';
import type { EngineRequests } from '../protocol/engine';
import type { FrameInfo, PixelBlock, PixelValue, RecordingState, Rect, ViewParams } from '../protocol/frames';
import type { PacketSender } from '../protocol/packet-sender';
import { Credits, MAX_CREDITS } from './credits';
import { LinkGovernor } from './link-governor';
import type { OpenSource } from './sources';
import { checkView, invalid } from './validate';

export interface ViewEvents {
  onFailed(viewId: number, message: string, nextStep: string): void;
}

export class View {
  readonly #native: NativeView;
  readonly #credits = new Credits();
  readonly #link = new LinkGovernor();
  readonly #sender: PacketSender;
  #params: ViewParams;
  #closed = false;

  constructor(
    readonly id: number,
    readonly source: OpenSource,
    params: ViewParams,
    sender: PacketSender,
    events: ViewEvents,
  ) {
    this.#params = this.#checkOutput(params);
    this.#sender = sender;
    this.#native = source.native.openView(
      id,
      JSON.stringify(params),
      (info, bytes) => this.#send(JSON.parse(info) as FrameInfo, bytes),
      (message, nextStep) => events.onFailed(id, message, nextStep),
    );
  }

  /** Checked as a whole before anything changes. */
  update(changes: object, paused: boolean | undefined): void {
    this.#params = this.#checkOutput(checkView({ ...this.#params, ...changes }));
    this.#apply();
    if (paused !== undefined) this.#native.pause(paused);
  }

  credit(count: number): void {
    const now = performance.now();
    for (let i = 0; i < Math.min(count, MAX_CREDITS); i++) if (this.#link.acknowledged(now)) this.#apply();
    const added = this.#credits.grant(count);
    if (added > 0 && !this.#closed) this.#native.credit(added);
  }

  async pixel(x: number, y: number): Promise<PixelValue> {
    return JSON.parse(await this.#native.pixel(x, y)) as PixelValue;
  }

  save(file: string): Promise<{ bytes: number; frame: number }> {
    return this.#native.save(file);
  }

  async pixels({ x, y, width, height }: Rect): Promise<PixelBlock> {
    return JSON.parse(await this.#native.pixels(x, y, width, height)) as PixelBlock;
  }

  async pin(): Promise<EngineRequests['view/pin']['result']> {
    return JSON.parse(await this.#native.pin()) as EngineRequests['view/pin']['result'];
  }

  unpin(reference: number): void {
    this.#native.unpin(reference);
  }

  async history(): Promise<EngineRequests['view/history']['result']> {
    return JSON.parse(await this.#native.history()) as EngineRequests['view/history']['result'];
  }

  step(): void {
    this.#native.step();
  }

  async record(folder: string, format: string, frames: number): Promise<RecordingState> {
    return JSON.parse(await this.#native.record(folder, format, frames)) as RecordingState;
  }

  async recordStop(): Promise<RecordingState> {
    return JSON.parse(await this.#native.recordStop()) as RecordingState;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#sender.cancelView(this.id);
    await this.#native.close();
    await this.source.release();
  }

  #apply(): void {
    const jpegQuality = this.#link.quality(this.#params.jpegQuality);
    if (!this.#closed) this.#native.update(JSON.stringify({ ...this.#params, jpegQuality }));
  }

  /** A publisher's outputs come and go. */
  #checkOutput(params: ViewParams): ViewParams {
    if (params.output === this.#params?.output) return params;
    const outputs = this.source.describe().outputs.map((output) => output.name);
    if (!outputs.includes(params.output)) throw invalid('view.output', `one of ${outputs.join(', ')}`, params.output);
    return params;
  }

  #send(info: FrameInfo, bytes: Uint8Array): void {
    if (this.#closed || !this.#credits.spend()) return;
    this.#link.sent(performance.now());
    void this.#sender.sendPicture(this.id, info.sequence, bytes, { jsonrpc: '2.0', method: 'view/frame', params: info });
  }
}
