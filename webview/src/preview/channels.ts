import type { OutputDescription } from '../../../helper/protocol/frames';
import { ALL_CHANNELS } from './state';

const colorNames = ['R', 'G', 'B', 'A'];
const vectorNames = ['X', 'Y', 'Z', 'W'];

export function channelNames({ kind, channels }: Pick<OutputDescription, 'kind' | 'channels'>): string[] {
  const isVector = kind === 'normal' || kind === 'motion';
  if (channels === 1) return [kind === 'id' ? 'ID' : kind === 'depth' ? 'Z' : 'V'];
  if (channels === 2 && (kind === 'color' || kind === 'hdr')) return ['V', 'A'];
  return (isVector ? vectorNames : colorNames).slice(0, channels);
}

/** The mask after a click: switches a channel, or shows it alone; alone again shows all. Never empty. */
export function nextMask(mask: number, channel: number, solo: boolean): number {
  const bit = 1 << channel;
  if (solo) return mask === bit ? ALL_CHANNELS : bit;
  return (mask ^ bit) & ALL_CHANNELS || ALL_CHANNELS;
}
