/** The engine's RPC methods (JSON-RPC 2.0 over the packet stream, see packet.ts). Every request gets a reply or an error. */
import type { DevicePoll } from './device-readings';
import type { DeviceSnapshot } from './devices';
import type { DoctorReport } from './doctor';
import type { FrameInfo, PixelBlock, PixelValue, RecordingState, SourceDescription, ViewParams } from './frames';

export interface EngineRequests {
  initialize: {
    params: { protocolVersion: number; client: string };
    result: {
      protocolVersion: number;
      engineVersion: string;
      pid: number;
      /** Empty, with the problem, when the addon could not be loaded. */
      addonPath: string;
      addonProblem?: { message: string; nextStep: string };
      /** The addon works, but was built from other sources than the engine. */
      addonStale?: { message: string; nextStep: string };
    };
  };
  /** `env` is laid over the engine's environment for this snapshot; null removes a variable. `refresh` looks again even if nothing seems changed. */
  'devices/snapshot': { params: { env?: Record<string, string | null>; refresh?: boolean }; result: DeviceSnapshot };
  /** The changing values only. Keeps NVML open for a while, so that the next poll is cheap; `last` closes it with this answer. */
  'devices/poll': { params: { last?: boolean }; result: DevicePoll };
  /** Every check of the doctor, for an environment as in devices/snapshot. Asks the drivers anew. */
  doctor: { params: { env?: Record<string, string | null> }; result: DoctorReport };
  /**
   * Listens for programs that publish frames, or stops to. `name` is the socket's file without its ending, the engine's process id when left out;
   * one that somebody listens at already gets the process id added. `maxRate`: frames a second that an output hands over at most, 0 or left
   * out = as many as the views take. `socket` is what SEAMSCOPE_SOCKET should be, null when not enabled.
   */
  'publishers/configure': { params: { enabled: boolean; name?: string; maxRate?: number }; result: { socket: string | null } };
  /** `outputs` is empty for a source that nobody has opened yet. */
  'sources/list': { params: Record<string, never>; result: SourceDescription[] };
  /**
   * `device` (scene only): a Vulkan device UUID, 'auto' (default: the best device, the software renderer when there is none) or 'host'.
   * `view.output` "*" is the source's first output.
   * `size` (scene only): pixels of the rendered image, 1280x720 by default. No picture comes before credits are granted.
   */
  'view/open': {
    params: { source: string; view: ViewParams; device?: string; size?: { width: number; height: number } };
    result: { viewId: number; source: SourceDescription };
  };
  'view/update': { params: { viewId: number; view: Partial<ViewParams>; paused?: boolean }; result: null };
  'view/pixel': { params: { viewId: number; x: number; y: number }; result: PixelValue };
  /** Writes the current frame of the view's output at 1:1; u8 bytes untouched. The extension of `file` picks the format: .png, .exr, .pfm, .npy. */
  'view/save': { params: { viewId: number; file: string }; result: { file: string; bytes: number; frame: number } };
  /** Exact values; at most 64 x 64 texels. */
  'view/pixels': { params: { viewId: number; x: number; y: number; width: number; height: number }; result: PixelBlock };
  /** Keeps the shown frame of the view's output as a reference for every view of its source, until it is unpinned or the source is closed. */
  'view/pin': { params: { viewId: number }; result: { reference: number; frame: number; output: string; bytes: number } };
  'view/unpin': { params: { viewId: number; reference: number }; result: null };
  /** Numbers of the kept frames of the view's output, oldest first. */
  'view/history': { params: { viewId: number }; result: { frames: number[]; bytes: number; budget: number } };
  /** A paused view shows the producer's next frame and stays paused. */
  'view/step': { params: { viewId: number }; result: null };
  /** Writes each frame shown from now on to `folder` (created when missing) as OUTPUT.NUMBER.FORMAT, until `frames` are written or it is stopped. */
  'view/record': { params: { viewId: number; folder: string; format: RecordFormat; frames: number }; result: RecordingState };
  'view/recordStop': { params: { viewId: number }; result: RecordingState };
  /** Host memory for kept frames, shared by all sources; 0 keeps none. 512 MiB until set. */
  'history/budget': { params: { bytes: number }; result: null };
  'view/close': { params: { viewId: number }; result: null };
  stats: { params: Record<string, never>; result: EngineStats };
  shutdown: { params: Record<string, never>; result: null };
}

export type RecordFormat = 'png' | 'exr' | 'pfm' | 'npy';

export interface EngineNotifications {
  /** Viewer to engine: it can take `credits` more pictures of this view. */
  'view/credit': { viewId: number; credits: number };
  /** Engine to viewer: the bytes of the picture follow as binary packets. */
  'view/frame': FrameInfo;
  'view/failed': { viewId: number; message: string; nextStep: string };
  'sources/changed': Record<string, never>;
}

export interface EngineStats {
  uptimeMs: number;
  openFds: number;
  views: number;
  gpuMemoryBytes: number;
  /** Host memory of kept frames. */
  historyBytes?: number;
}
