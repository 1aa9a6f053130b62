/** The engine's RPC methods (JSON-RPC 2.0 over the packet stream, see packet.ts). Every request gets a reply or an error. */
import type { DeviceSnapshot } from './devices';
import type { FrameInfo, PixelValue, SourceDescription, ViewParams } from './frames';

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
    };
  };
  /** `env` is laid over the engine's environment for this snapshot; null removes a variable. `refresh` looks again even if nothing seems changed. */
  'devices/snapshot': { params: { env?: Record<string, string | null>; refresh?: boolean }; result: DeviceSnapshot };
  /** `outputs` is empty for a source that nobody has opened yet. */
  'sources/list': { params: Record<string, never>; result: SourceDescription[] };
  /**
   * `device` (scene only): a Vulkan device UUID, 'auto' (default: the best device, the software renderer when there is none) or 'host'.
   * `size` (scene only): pixels of the rendered image, 1280x720 by default. No picture comes before credits are granted.
   */
  'view/open': {
    params: { source: string; view: ViewParams; device?: string; size?: { width: number; height: number } };
    result: { viewId: number; source: SourceDescription };
  };
  'view/update': { params: { viewId: number; view: Partial<ViewParams>; paused?: boolean }; result: null };
  'view/pixel': { params: { viewId: number; x: number; y: number }; result: PixelValue };
  /** Writes the current frame of the view's output at 1:1; u8 bytes untouched. The extension of `file` picks the format. */
  'view/save': { params: { viewId: number; file: string }; result: { file: string; bytes: number; frame: number } };
  'view/close': { params: { viewId: number }; result: null };
  stats: { params: Record<string, never>; result: EngineStats };
  shutdown: { params: Record<string, never>; result: null };
}

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
}
