/** What a panel remembers over a reload: VS Code stores it, the engine never needs it. */
import type { FalseColor, OutputDescription, ToneMap } from '../../../helper/protocol/frames';
import type { Camera } from './camera';

/** How one output is looked at; remembered for each output. */
export interface Look {
  exposure: number;
  toneMap: ToneMap;
  falseColor: FalseColor;
  /** Null: the frame's own extremes, different from frame to frame. */
  range: [number, number] | null;
  /** True until the first picture has given a range to hold: colours must not jump from frame to frame. */
  holdFirstRange: boolean;
}

export interface PanelState {
  version: 1;
  source: string | null;
  output: string | null;
  paused: boolean;
  camera: Camera;
  looks: Record<string, Look>;
}

export function initialState(stored: unknown): PanelState {
  const usable = typeof stored === 'object' && stored !== null && (stored as PanelState).version === 1;
  return usable ? (stored as PanelState) : { version: 1, source: null, output: null, paused: false, camera: { fit: true }, looks: {} };
}

export function defaultLook({ kind, channels }: Pick<OutputDescription, 'kind' | 'channels'>): Look {
  const look: Look = { exposure: 0, toneMap: 'none', falseColor: 'none', range: null, holdFirstRange: false };
  switch (kind) {
    case 'hdr':
      return { ...look, toneMap: 'aces' };
    case 'depth':
      return { ...look, falseColor: 'turbo', holdFirstRange: true };
    case 'id':
      return { ...look, falseColor: 'ids' };
    case 'normal':
      return { ...look, range: [-1, 1] };
    case 'tensor':
      return { ...look, falseColor: channels === 1 ? 'viridis' : 'none', holdFirstRange: true };
    default:
      return look;
  }
}
