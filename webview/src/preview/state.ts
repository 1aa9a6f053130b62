/** What a panel remembers over a reload: VS Code stores it, the engine never needs it. */
import type { FalseColor, OutputDescription, ToneMap } from '../../../helper/protocol/frames';
import type { Camera } from './camera';

/** How one output is looked at; remembered for each output. */
export interface Look {
  exposure: number;
  gamma: number;
  toneMap: ToneMap;
  falseColor: FalseColor;
  /** Null: the frame's own extremes, different from frame to frame. */
  range: [number, number] | null;
  /** True until the first picture has given a range to hold: colours must not jump from frame to frame. */
  holdFirstRange: boolean;
  /** Bits 0..3: red, green, blue, alpha. */
  channels: number;
  flipY: boolean;
  swapRb: boolean;
  marks: Marks;
  /** Which image of a batch. */
  batch: number;
}

/** Which values are painted over. */
export interface Marks {
  nan: boolean;
  inf: boolean;
  negative: boolean;
  clipping: boolean;
}

/** `auto`: beside the picture wherever that costs it little. */
export type InspectorState = 'auto' | 'open' | 'closed';

export interface PanelState {
  version: 2;
  source: string | null;
  /** A program that is started again may come back under another id. */
  sourceLabel: string | null;
  /** False: the panel chose by itself, and may go over to a better source. */
  chosen: boolean;
  output: string | null;
  paused: boolean;
  camera: Camera;
  looks: Record<string, Look>;
  inspector: InspectorState;
  /** Sections of the inspector that the user opened or folded. */
  sections: Record<string, boolean>;
  hintDismissed: boolean;
}

export function initialState(stored: unknown): PanelState {
  const usable = typeof stored === 'object' && stored !== null && (stored as PanelState).version === 2;
  return usable ? { ...freshState(), ...(stored as PanelState) } : freshState();
}

function freshState(): PanelState {
  return {
    version: 2,
    source: null,
    sourceLabel: null,
    chosen: false,
    output: null,
    paused: false,
    camera: { fit: true },
    looks: {},
    inspector: 'auto',
    sections: {},
    hintDismissed: false,
  };
}

export const ALL_CHANNELS = 0b1111;

export function defaultLook({ kind, channels, dtype }: Pick<OutputDescription, 'kind' | 'channels' | 'dtype'>): Look {
  const look: Look = {
    exposure: 0,
    gamma: 1,
    toneMap: 'none',
    falseColor: 'none',
    range: null,
    holdFirstRange: false,
    channels: ALL_CHANNELS,
    flipY: false,
    swapRb: false,
    marks: { nan: true, inf: true, negative: kind !== 'tensor', clipping: false },
    batch: 0,
  };
  switch (kind) {
    case 'hdr':
      return { ...look, toneMap: 'aces' };
    case 'depth':
      return { ...look, falseColor: 'turbo', holdFirstRange: true };
    case 'id':
      return { ...look, falseColor: dtype === 'u8' || dtype === 'i8' ? 'labels' : 'ids' };
    case 'normal':
      return { ...look, falseColor: 'normal', range: [-1, 1] };
    case 'motion':
      return { ...look, falseColor: 'motion', holdFirstRange: true };
    case 'tensor':
      return dtype === 'bool' ? { ...look, falseColor: 'bool' } : { ...look, falseColor: channels === 1 ? 'viridis' : 'none', holdFirstRange: true };
    default:
      return look;
  }
}
