/**
 * The native addon's whole surface. Structured answers are JSON text of the protocol's types, so that each type is written down once.
 * Arguments have been validated in TypeScript before they get here; errors are Error objects whose message names the cause and whose `nextStep` property says what to do.
 */
import type { FrameInfo } from './frames';

export interface NativeAddon {
  /** Must equal PROTOCOL_VERSION. */
  readonly protocolVersion: number;
  /** Compiler, libraries and target, for the report. */
  readonly buildInfo: string;
  /** Which native sources it was built from; empty or absent when its build did not say. */
  readonly buildId?: string;
  /** Moves fd 1 to a new close-on-exec descriptor, points fd 1 at stderr and returns the new one: what a driver prints cannot reach the packet stream. */
  takeStdout(): number;
  /** JSON of DeviceSnapshot. Enumerates drivers: call it in a short-lived process only. */
  probe(withCuda?: boolean): string;
  /** JSON of DeviceSnapshot['nvml']; opens NVML on first use. */
  nvml(): Promise<string>;
  /** JSON of DevicePoll without version and time: the changing values only. */
  nvmlPoll?(): Promise<string>;
  /** The call of NVML or CUDA that this process is in now, for naming one that never returns; '' when it is in none. */
  driverCall?(): string;
  /** Ends NVML, at once or when the reading under way is done: an open handle can block a MIG mode change. */
  nvmlClose(): void;
  /**
   * The whole of a sacrificial process: runs `job` (JSON of SeamJob), writes SeamEvent lines to `eventFd` and returns the exit code. Blocks. The
   * process dies with its parent.
   */
  seamtest(job: string, eventFd: number): number;
  /** Starts the built-in scene. `device` is a Vulkan device UUID, 'auto' (best device) or 'host' (no Vulkan at all: software renderer). */
  openScene(options: { device: string; width: number; height: number }): Promise<NativeSource>;
  /** Watches image files: a folder, or a path with * and ? in its last part. The source's id is `files:` and the pattern. */
  openFiles?(options: { pattern: string }): Promise<NativeSource>;
  /**
   * Listens for publishers at FOLDER/NAME.sock; an empty folder is the user's own (docs/publisher-protocol.md). `maxRate`: frames a second of an
   * output, 0 = no limit. `onChanged` runs on the JS thread when list() would answer something else.
   */
  openHub?(options: { folder: string; name: string; maxRate: number }, onChanged: () => void): NativeHub;
  /** Host memory for kept frames, shared by all sources. */
  setHistoryBudget?(bytes: number): void;
  /** Host memory that kept frames and references hold. */
  historyBytes?(): number;
}

export interface NativeHub {
  /** The path of its socket. */
  readonly socket: string;
  /** JSON of SourceDescription[]. */
  list(): string;
  setMaxRate(framesASecond: number): void;
  openSource(id: string): NativeSource;
  /** Sources that are open keep their last frames. */
  close(): void;
}

export interface NativeSource {
  /** JSON of SourceDescription. */
  describe(): string;
  /** GPU memory held by the engine for this source beyond the scene's own images, in bytes. */
  gpuMemoryBytes(): number;
  /** `params` is JSON of ViewParams. `onFrame` runs on the JS thread, at most as often as credits were granted. */
  openView(
    viewId: number,
    params: string,
    onFrame: (info: string, bytes: Uint8Array) => void,
    onFailed: (message: string, nextStep: string) => void,
  ): NativeView;
  close(): Promise<void>;
}

export interface NativeView {
  update(params: string): void;
  credit(count: number): void;
  /** A paused view keeps its frame: pan, zoom and exposure still answer with new pictures of it. */
  pause(paused: boolean): void;
  /** JSON of PixelValue, from the full-resolution frame last shown. */
  pixel(x: number, y: number): Promise<string>;
  save(file: string): Promise<{ bytes: number; frame: number }>;
  /** JSON of PixelBlock. */
  pixels(x: number, y: number, width: number, height: number): Promise<string>;
  /** JSON of the result of view/pin. */
  pin(): Promise<string>;
  unpin(reference: number): void;
  /** JSON of the result of view/history. */
  history(): Promise<string>;
  step(): void;
  /** JSON of RecordingState. */
  record(folder: string, format: string, frames: number): Promise<string>;
  recordStop(): Promise<string>;
  close(): Promise<void>;
}

/** Kept here so that the addon's callers need one import. */
export type { FrameInfo };
