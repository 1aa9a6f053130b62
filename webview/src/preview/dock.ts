/** Where the inspector goes: beside the picture, where the frame's shape leaves room, so that it costs the picture as little as possible. */
import { fitScale, type Size } from './camera';
import type { InspectorState } from './state';

export type Side = 'right' | 'bottom';

/** CSS pixels. */
export const INSPECTOR_WIDTH = 268;
const INSPECTOR_HEIGHT = 190;
/** Below this a column beside the picture leaves neither enough room. */
const LEAST_WIDTH_FOR_COLUMN = 520;
/** `auto` opens the inspector when the picture keeps this much of its scale, and closes it again below the second. */
const SHARE_TO_OPEN = 0.8;
const SHARE_TO_STAY = 0.7;
/** The other side must be so much better: a bar that comes and goes must not move everything. */
const GAIN_TO_MOVE = 1.15;

export interface Dock {
  side: Side;
  open: boolean;
}

/** `room` is what picture and inspector share, in CSS pixels; `now` is how it is. */
export function dock(room: Size, frame: Size, wanted: InspectorState, now: Dock | null = null): Dock {
  const beside = room.width < LEAST_WIDTH_FOR_COLUMN ? 0 : fitScale(frame, { ...room, width: room.width - INSPECTOR_WIDTH });
  const below = fitScale(frame, { ...room, height: Math.max(room.height - INSPECTOR_HEIGHT, 0) });
  const side = sideFor({ right: beside, bottom: below }, now);
  const share = (side === 'right' ? beside : below) / fitScale(frame, room);
  const enough = share >= (now?.open ? SHARE_TO_STAY : SHARE_TO_OPEN);
  return { side, open: wanted === 'auto' ? enough : wanted === 'open' };
}

/** `scales`: the picture's, with the inspector on each side. */
function sideFor(scales: Record<Side, number>, now: Dock | null): Side {
  const best = scales.right >= scales.bottom && scales.right > 0 ? 'right' : 'bottom';
  return now && scales[now.side] > 0 && scales[best] < scales[now.side] * GAIN_TO_MOVE ? now.side : best;
}
