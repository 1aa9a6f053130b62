import type { FrameInfo } from '../../../helper/protocol/frames';
import type { Look } from './state';

/** Rounding in the view pass is no clipping. */
const SLACK = 1 / 1024;

/**
 * Share of the finite values outside what the picture can show, 0..1, to the width of a bin of the histogram.
 * Null: not known without a histogram, or the values are names.
 */
export function clippedShare(
  { histogram, stats, format }: FrameInfo,
  look: Pick<Look, 'range' | 'exposure' | 'toneMap' | 'falseColor'>,
): number | null {
  if (!histogram || look.falseColor === 'ids' || look.falseColor === 'labels') return null;
  const isColor = format?.colorSpace !== 'data';
  const white = isColor ? (look.toneMap === 'none' ? 2 ** -look.exposure : Number.POSITIVE_INFINITY) : (look.range?.[1] ?? stats.max);
  const black = isColor ? 0 : (look.range?.[0] ?? stats.min);
  const slack = (isColor ? 1 : white - black) * SLACK;
  const width = (histogram.high - histogram.low) / histogram.counts.length;
  let outside = histogram.below + histogram.above;
  let all = outside;
  histogram.counts.forEach((count, bin) => {
    const middle = histogram.low + (bin + 0.5) * width;
    all += count;
    if (middle < black - slack || middle > white + slack) outside += count;
  });
  return all === 0 ? null : outside / all;
}
