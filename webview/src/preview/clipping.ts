import type { Dtype, FrameFormat, FrameInfo } from '../../../helper/protocol/frames';
import type { Look } from './state';

type Format = Pick<FrameFormat, 'dtype' | 'colorSpace'>;

/** Rounding in the view pass is no clipping. */
const SLACK = 1 / 1024;

/**
 * Share of the finite values outside what the picture can show, 0..1, to the width of a bin of the histogram.
 * Null: not known without a histogram, or the values are names.
 */
export function clippedShare(
  { histogram, stats, format: stored }: FrameInfo,
  look: Pick<Look, 'range' | 'exposure' | 'toneMap' | 'falseColor'>,
  output?: Format,
): number | null {
  const format = stored ?? output;
  if (!histogram || look.falseColor === 'ids' || look.falseColor === 'labels') return null;
  const isColor = format?.colorSpace !== 'data';
  const white = isColor ? whiteOf(format, look) : (look.range?.[1] ?? stats.max);
  const black = isColor ? 0 : (look.range?.[0] ?? stats.min);
  const slack = Number.isFinite(white) ? (white - black) * SLACK : 0;
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

/** The stored value of a colour that is shown as white. */
function whiteOf(format: Format | undefined, { exposure, toneMap }: Pick<Look, 'exposure' | 'toneMap'>): number {
  // Tone maps reach white at infinity.
  if (toneMap !== 'none') return Number.POSITIVE_INFINITY;
  const linear = 2 ** -exposure;
  const encoded = format?.colorSpace === 'srgb' && linear > 0.0031308 ? 1.055 * linear ** (1 / 2.4) - 0.055 : linear;
  return encoded * (largest[format?.dtype ?? 'f32'] ?? 1);
}

/** Unsigned integers of colours stand for 0..1. */
const largest: Partial<Record<Dtype, number>> = { u8: 0xff, u16: 0xffff, u32: 0xffffffff };
