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
  /** Images in a batch (NCHW); ViewParams.batch picks one. Left out: 1. */
  batches?: number;
  /**
   * Of a publisher's output. announced: named, nobody watches it. waiting: watched, no frame has come. silent: watched, and none has come for
   * a while. refused: what the program offers cannot be read. gone: the program has ended or withdrawn it; its last frame stays.
   */
  state?: 'announced' | 'waiting' | 'live' | 'silent' | 'refused' | 'gone';
  /** Why it is in that state, and what the program itself has said; sentences. */
  note?: string;
  /** How its frames come: "host memory, 1 host copy". */
  path?: string;
  /** Frames that the program could not hand over, since it connected. */
  skipped?: number;
}

export interface SourceDescription {
  id: string;
  label: string;
  kind: 'scene' | 'publisher' | 'files';
  /** Where the frames live and which path they take, in words: "Vulkan 0 llvmpipe, host passes". */
  device: string;
  /** May grow and change while the source runs: `sources/changed` says so, and FrameInfo.format describes the frame shown. */
  outputs: OutputDescription[];
  /** Of a publisher: whether its program is there. */
  state?: 'live' | 'gone';
  /** Of a publisher: why the short way through GPU memory is closed, what it says of itself, how it ended; sentences. */
  notes?: string[];
  /** Of a publisher: its process. */
  pid?: number;
}

export type ToneMap = 'none' | 'reinhard' | 'aces';
/**
 * ids: a colour a 32-bit identifier, by hash. labels: a colour a class number 0..255, by table (PASCAL VOC); other numbers by their low byte.
 * bool: black where the value is 0, white elsewhere. normal: x, y, z in -1..1 as red, green, blue in 0..1; unsigned integers are taken as
 * encoded that way. motion: direction as hue, length over range[1] as saturation. diverging: black in the middle of the range, red above, blue
 * below; without a range its middle is 0.
 */
export type FalseColor = 'none' | 'gray' | 'turbo' | 'viridis' | 'ids' | 'labels' | 'bool' | 'normal' | 'motion' | 'diverging';
export type CompareMode = 'off' | 'difference' | 'swipe';

export interface Compare {
  /** difference: |shown - reference| a channel, as a data frame: range and false colour apply to it. swipe: the reference left of `split`. */
  mode: CompareMode;
  /** As `view/pin` returned it; 0 = none. */
  reference: number;
  /** Share of the picture's width, 0..1. */
  split: number;
  /** A difference is shown - reference, with its sign. Left out: its magnitude. */
  signed?: boolean;
}

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
  /** NaN in red. */
  overlayNan: boolean;
  /** Above and below what the picture can show, in magenta and light blue. */
  overlayClip: boolean;
  /** Infinity in green. Left out: as overlayNan. */
  overlayInf?: boolean;
  /** Negative values of colour, HDR and depth in blue. Left out: as overlayNan. */
  overlayNegative?: boolean;
  /** Which image of a batch; 0 when left out. Clamped to those that the frame has. */
  batch?: number;
  /** Left out: off. */
  compare?: Compare;
  /** The producer's number of a kept frame to show in place of the newest one (`view/history` lists them). null or left out: live. */
  history?: number | null;
  /** Asks for FrameInfo.histogram and stats.mean, at most 10 a second. */
  wantHistogram?: boolean;
  /** Asks for FrameInfo.metrics against compare.reference (whatever the mode), at most 4 a second. */
  wantMetrics?: boolean;
  encoding: 'jpeg' | 'rgba' | 'png';
  jpegQuality: number;
  /** Frames a second at most. */
  maxRate: number;
}

/** What computes pictures: Vulkan compute, or threaded C++. */
export type ViewPass = 'gpu' | 'cpu';

export interface FrameStats {
  min: number;
  max: number;
  nan: number;
  inf: number;
  negative: number;
  /** Of the finite values; there when a histogram was asked for. */
  mean?: number;
}

/** Finite values over the measured channels. `counts` has 256 bins over [low, high]; `below` and `above` count what lies outside. */
export interface Histogram {
  low: number;
  high: number;
  below: number;
  above: number;
  counts: number[];
  /** The producer's number of the frame that was counted: pictures between two counts repeat the last one. */
  frame: number;
}

/** Of the shown frame against the reference, over the measured channels; values that are not finite in either are left out. */
export interface Metrics {
  reference: number;
  frame: number;
  /** Mean absolute error, in stored units. */
  mae: number;
  /** Decibel over the peak: the largest value of the dtype for integers, the reference's largest magnitude otherwise. null: equal. */
  psnr: number | null;
  /** Mean structural similarity of the luminance, Gaussian window of 11 texels (sigma 1.5). */
  ssim: number;
  /** Mean LDR-FLIP at 67 pixels a degree, 0..1: of colour (not HDR) at rest. */
  flip?: number;
}

/** Frames kept in host memory. `bytes` and `budget` are the engine's, over all sources; the numbers are the shown output's. */
export interface HistoryState {
  frames: number;
  oldest: number;
  newest: number;
  bytes: number;
  budget: number;
}

/** The frame that the picture was made from; resolution and format may change from frame to frame. */
export interface FrameFormat {
  kind: OutputKind;
  dtype: Dtype;
  channels: number;
  colorSpace: ColorSpace;
  batches: number;
}

export interface RecordingState {
  /** Absolute path. */
  folder: string;
  written: number;
  /** Frames that came while the writer was behind. */
  dropped: number;
  bytes: number;
  running: boolean;
  /** Why it ended before its time. */
  problem?: { message: string; nextStep: string };
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
  /**
   * ingest: histogram and metrics too, where this picture counted them. handoff: from the producer's hand to the engine's, 0 where nothing is
   * handed over.
   */
  times: { render: number; ingest: number; view: number; encode: number; handoff?: number };
  /** Who drew the picture, in how many milliseconds of times.view, and what the other pass takes where that was measured lately. */
  drawn?: { pass: ViewPass; ms: number; otherMs?: number };
  /** Frames of the producer that were never shown because the viewer had no credit. */
  dropped: number;
  /** Frames that the producer made but did not hand over, since the source was opened. */
  skipped?: number;
  /** Counts the changes of the shown output's size or format. */
  generation?: number;
  format?: FrameFormat;
  histogram?: Histogram;
  metrics?: Metrics;
  history?: HistoryState;
  recording?: RecordingState;
  /** Why a comparison or a kept frame that was asked for is not shown, one sentence. */
  problem?: string;
}

/** The exact values of a small rectangle, for numbers on texels. */
export interface PixelBlock {
  /** The part of the asked-for rectangle that lies inside the frame. */
  x: number;
  y: number;
  width: number;
  height: number;
  frame: number;
  channels: number;
  /** Row by row, texel by texel, channel by channel; as in PixelValue. */
  values: (number | string)[];
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
