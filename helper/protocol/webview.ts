/** Messages between the extension and its preview webview; messenger.ts carries them. Positions in texels count from the frame's top left corner. */
import type { FrameInfo, PixelValue, Rect, SourceDescription, ViewParams } from './frames';

/** What a panel decides about its picture. The extension adds rate and quality from the settings. */
export type PanelView = Omit<ViewParams, 'maxRate' | 'jpegQuality' | 'encoding'>;

/** Sent by the panel. */
export interface PanelRequests {
  /** First message of a panel; starts the engine when it is not running. */
  start: { params: { protocolVersion: number }; result: { sources: SourceDescription[] } };
  /** Shows one output; replaces what the panel showed before. */
  open: { params: { source: string; view: PanelView; paused: boolean }; result: { source: SourceDescription } };
  pixel: { params: { x: number; y: number }; result: PixelValue };
  /** Null: the user cancelled. */
  save: { params: Record<string, never>; result: { file: string } | null };
}

export interface PanelNotifications {
  update: { view: Partial<PanelView>; paused?: boolean };
  /** Pictures drawn since the last credit. */
  credit: { credits: number };
  action: { name: 'restart' | 'showLog' };
}

/** Sent by the extension. */
export interface HostRequests {
  /** Reads the canvas back and says what the panel shows. */
  inspect: { params: { x: number; y: number; width: number; height: number }; result: PanelInspection };
  /** Does what the control of that name does. */
  perform: { params: { control: PanelControl; value?: string | number }; result: PanelInspection };
}

export interface HostNotifications {
  picture: { info: FrameInfo; bytes: ArrayBuffer };
  /** No more pictures come until `restarted`, or until the panel opens again. */
  failed: { message: string; nextStep: string };
  restarted: { sources: SourceDescription[] };
}

export type PanelControl = 'pause' | 'fit' | 'oneToOne' | 'zoomIn' | 'zoomOut' | 'output' | 'exposure' | 'falseColor';

export interface PanelInspection {
  /** Where the frames live, as the status line says it. */
  device: string;
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
  /** The message shown in place of a picture. */
  failure: string | null;
}
