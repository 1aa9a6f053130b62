/** Where the inspector goes: beside the picture, where the frame's shape leaves room, so that it costs the picture as little as possible. */
import { fitScale, type Size } from './camera';
import type { InspectorState } from './state';

export type Side = 'right' | 'bottom';

/** CSS pixels. */
export const INSPECTOR_WIDTH = 268;
const INSPECTOR_HEIGHT = 190;
/** Below this a column beside the picture leaves neither enough room. */
const LEAST_WIDTH_FOR_COLUMN = 520;
/** `auto` opens the inspector when the picture keeps this much of its scale. */
const LEAST_SHARE = 0.8;

/** `room` is what picture and inspector share, in CSS pixels. */
export function dock(room: Size, frame: Size, wanted: InspectorState): { side: Side; open: boolean } {
  const beside = room.width < LEAST_WIDTH_FOR_COLUMN ? 0 : fitScale(frame, { ...room, width: room.width - INSPECTOR_WIDTH });
  const below = fitScale(frame, { ...room, height: Math.max(room.height - INSPECTOR_HEIGHT, 0) });
  const side = beside >= below && beside > 0 ? 'right' : 'bottom';
  const share = Math.max(beside, below) / fitScale(frame, room);
  return { side, open: wanted === 'auto' ? share >= LEAST_SHARE : wanted === 'open' };
}
