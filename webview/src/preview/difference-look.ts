/** How a difference from the reference is looked at: data of its own, with a scale and colours of its own. */
import type { FalseColor, OutputDescription } from '../../../helper/protocol/frames';
import type { Range } from './range-scale';
import { defaultLook, type Look } from './state';

/** Where the picture lies is the frame's business: these hold for the difference as well. */
const shared = ['flipY', 'swapRb', 'batch'] as const;

/** Differences are numbers of their own, without the alpha channel, whatever they are between. */
export function differenceOf(output: OutputDescription): OutputDescription {
  const hasAlpha = (output.kind === 'color' || output.kind === 'hdr') && (output.channels === 2 || output.channels === 4);
  return { ...output, kind: 'tensor', dtype: 'f32', colorSpace: 'data', channels: output.channels - (hasAlpha ? 1 : 0) };
}

/** Each difference over its own range at first: a held one would fit only the frame that it was taken from. */
export function differenceLook(output: OutputDescription): Look {
  const colors = output.kind === 'id' ? 'bool' : differenceOf(output).channels > 1 ? 'none' : 'gray';
  return { ...defaultLook(differenceOf(output)), falseColor: colors, holdFirstRange: false };
}

export function withPlacement(look: Look, { flipY, swapRb, batch }: Look): Look {
  return Object.assign(look, { flipY, swapRb, batch });
}

/** The part of a change that concerns the frame as well. */
export function placementOf(change: Partial<Look>): Partial<Look> {
  return Object.fromEntries(shared.flatMap((key) => (key in change ? [[key, change[key]]] : [])));
}

/** Colours that show on which side of the middle a value lies. */
export function isSigned({ falseColor }: Pick<Look, 'falseColor'>): boolean {
  return falseColor === 'diverging';
}

/** Colours of a length to either side of 0: signed ones, and those of directions. */
export function isCentred({ falseColor }: Pick<Look, 'falseColor'>): boolean {
  return falseColor === 'diverging' || falseColor === 'motion';
}

/** What the engine takes for want of a range. */
export function ownRange(look: Pick<Look, 'falseColor'>, [low, high]: Range): Range {
  const most = Math.max(Math.abs(low), Math.abs(high));
  return isCentred(look) ? [-most, most] : [low, high];
}

/** Other colours; a range that is held goes over from magnitudes to both sides of 0, or back. */
export function recoloured(look: Look, falseColor: FalseColor): Partial<Look> {
  if (!look.range || isSigned(look) === isSigned({ falseColor })) return { falseColor };
  const most = Math.max(Math.abs(look.range[0]), Math.abs(look.range[1]));
  return { falseColor, range: isSigned({ falseColor }) ? [-most, most] : [0, most] };
}
