/** What a frame is and how a panel looks at it. Shared by the engine, the extension and the preview webview. */

export type Dtype =
  | 'bool'
  | 'u8'
  | 'i8'
  | 'u16'
  | 'i16'
  | 'u32'
  | 'i32'
  | 'i64'
  | 'f16'
  | 'bf16'
  | 'f32'
  | 'f64'
  | 'r11g11b10f'
  | 'rgb10a2'
  | 'd24s8';
export type OutputKind = 'color' | 'hdr' | 'depth' | 'id' | 'normal' | 'motion' | 'tensor';
export type ColorSpace = 'srgb' | 'linear' | 'data';

export interface OutputDescription {
  /** For example "color", "hdr", "depth", "ids". */
  name: string;
  kind: OutputKind;
  width: number;
  height: number;
  channels: number;
  dtype: Dtype;
  colorSpace: ColorSpace;
}

export interface SourceDescription {
  id: string;
  label: string;
  kind: 'scene' | 'publisher' | 'files';
  /** Where the frames live and which path they take, in words: "Vulkan 0 llvmpipe, host passes". */
  device: string;
  outputs: OutputDescription[];
}

export type ToneMap = 'none' | 'reinhard' | 'aces';
export type FalseColor = 'none' | 'gray' | 'turbo' | 'viridis' | 'ids';

/** Visible rectangle in texels of the full-resolution frame; may reach outside it. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface ViewParams {
  output: string;
  /** Size of the picture to return, in device pixels of the panel. */
  width: number;
  height: number;
  rect: Rect;
  /** In stops: the colour is multiplied by 2^exposure. */
  exposure: number;
  gamma: number;
  toneMap: ToneMap;
  falseColor: FalseColor;
  /** Values mapped to 0 and 1 for depth and data; null = the frame's own minimum and maximum. */
  range: [number, number] | null;
  /** Bits 0..3: red, green, blue, alpha. */
  channelMask: number;
  flipY: boolean;
  swapRb: boolean;
  overlayNan: boolean;
  overlayClip: boolean;
  encoding: 'jpeg' | 'rgba' | 'png';
  jpegQuality: number;
  /** Frames a second at most. */
  maxRate: number;
}

export interface FrameStats {
  min: number;
  max: number;
  nan: number;
  inf: number;
  negative: number;
}

/** Travels with every picture. Times are milliseconds of the engine's monotonic clock. */
export interface FrameInfo {
  viewId: number;
  /** Counts pictures of this view from 1. */
  sequence: number;
  /** The producer's frame number. */
  frame: number;
  output: string;
  width: number;
  height: number;
  encoding: 'jpeg' | 'rgba' | 'png';
  /** A picture at rest, sent once more without loss. */
  lossless: boolean;
  frameWidth: number;
  frameHeight: number;
  /** The texels that the picture shows: ViewParams.rect of the parameters it was rendered with. */
  rect?: Rect;
  stats: FrameStats;
  producedAt: number;
  times: { render: number; ingest: number; view: number; encode: number };
  /** Frames of the producer that were never shown because the viewer had no credit. */
  dropped: number;
}

export interface PixelValue {
  x: number;
  y: number;
  frame: number;
  /** One entry a channel; ids beyond 2^53 arrive as hex text. */
  values: (number | string)[];
  /** Raw bits a channel, in hex. */
  hex: string[];
}
