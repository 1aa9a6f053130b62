/** Messages between the extension and its preview webview; messenger.ts carries them. Positions in texels count from the frame's top left corner. */
import type { FrameInfo, PixelBlock, PixelValue, RecordingState, Rect, SourceDescription, ViewParams } from './frames';

/** What a panel decides about its picture. The extension adds rate and quality from the settings. */
export type PanelView = Omit<ViewParams, 'maxRate' | 'jpegQuality' | 'encoding'>;

/** A panel looks twice: at the part of the frame on its canvas, and, zoomed in, at the whole frame for its map. */
export type StreamName = 'main' | 'map';

/** Sent by the panel. Requests about values and files mean the frame of `main`. */
export interface PanelRequests {
  /** First message of a panel; starts the engine when it is not running. */
  start: {
    params: { protocolVersion: number };
    result: { sources: SourceDescription[] /** The one that the panel was opened for. */; source?: SourceDescription };
  };
  /** Shows one output; replaces what the stream showed before. */
  open: { params: { stream: StreamName; source: string; view: PanelView; paused: boolean }; result: { source: SourceDescription } };
  pixel: { params: { x: number; y: number }; result: PixelValue };
  pixels: { params: Rect; result: PixelBlock };
  /** Null: the user cancelled. */
  save: { params: Record<string, never>; result: { file: string } | null };
  pin: { params: Record<string, never>; result: { reference: number; frame: number; output: string; bytes: number } };
  unpin: { params: { reference: number }; result: null };
  history: { params: Record<string, never>; result: { frames: number[]; bytes: number; budget: number } };
  step: { params: Record<string, never>; result: null };
  /** Asks for folder and format. Null: the user cancelled. */
  record: { params: Record<string, never>; result: RecordingState | null };
  recordStop: { params: Record<string, never>; result: RecordingState };
  /** Asks for a folder of image files. Null: the user cancelled. */
  watchFiles: { params: Record<string, never>; result: SourceDescription | null };
  copyText: { params: { text: string }; result: null };
}

export interface PanelNotifications {
  update: { stream: StreamName; view: Partial<PanelView>; paused?: boolean };
  close: { stream: StreamName };
  /** Pictures drawn since the last credit. */
  credit: { stream: StreamName; credits: number };
  /** The output that the panel shows: the editor's title. */
  titled: { source: string; output: string };
  action: { name: PanelAction };
}

export type PanelAction = 'restart' | 'showLog' | 'addPublisher' | 'openSettings';

/** Sent by the extension. */
export interface HostRequests {
  /** Reads the canvas back and says what the panel shows. */
  inspect: { params: { x: number; y: number; width: number; height: number }; result: PanelInspection };
  /** Does what the control of that name does. */
  perform: { params: { control: PanelControl; value?: string | number }; result: PanelInspection };
}

export interface HostNotifications {
  picture: { stream: StreamName; info: FrameInfo; bytes: ArrayBuffer };
  /** No more pictures come until `restarted`, or until the panel opens again. */
  failed: { message: string; nextStep: string };
  restarted: { sources: SourceDescription[] };
  /** Sources or their outputs came, went or changed. */
  sources: { sources: SourceDescription[] };
}

/** What commands and tests can ask of a panel; `value` where the control has one. */
export type PanelControl =
  | 'pause'
  | 'step'
  | 'fit'
  | 'oneToOne'
  | 'zoomIn'
  | 'zoomOut'
  /** A scale in device pixels a texel, around the middle. */
  | 'zoomTo'
  | 'output'
  | 'exposure'
  | 'gamma'
  | 'toneMap'
  | 'falseColor'
  /** Bits as in ViewParams.channelMask. */
  | 'channels'
  | 'flipY'
  | 'swapRb'
  /** "LOW HIGH", or "auto". */
  | 'range'
  | 'fitRange'
  | 'markNan'
  | 'markInf'
  | 'markNegative'
  | 'markClipping'
  /** "X Y" in texels. */
  | 'probe'
  | 'copyValue'
  | 'copyPicture'
  | 'save'
  | 'record'
  | 'pin'
  | 'unpin'
  | 'togglePin'
  /** A mode of Compare. */
  | 'compare'
  /** Share of the picture's width. */
  | 'split'
  /** A frame's number; -1 is live. */
  | 'history'
  | 'inspector';

export interface PanelInspection {
  /** Where the frames live, as the status line says it. */
  device: string;
  source: string;
  output: string;
  outputs: string[];
  paused: boolean;
  /** Device pixels a texel. */
  scale: number;
  /** Canvas pixel of the visible rectangle's top left corner, and the rectangle itself. */
  placement: { left: number; top: number; rect: Rect } | null;
  canvas: { width: number; height: number };
  /** RGBA of the asked-for part of the canvas, row by row. */
  pixels: number[];
  /** The picture on screen. */
  info: FrameInfo | null;
  drawn: number;
  description: string;
  /** The texel under the pointer or the crosshair, in words. */
  probe: string;
  /** Why the output is not live, over the picture; empty when it is. */
  banner: string;
  /** The message shown in place of a picture. */
  failure: string | null;
  /** The last words to screen readers. */
  announced: string;
  /** The names of what Tab reaches, in its order. */
  focusable: string[];
}
