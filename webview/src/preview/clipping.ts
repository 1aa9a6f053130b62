import type { Dtype, FrameFormat, FrameInfo, FrameStats } from '../../../helper/protocol/frames';
import { isSigned, ownRange } from './difference-look';
import type { Range } from './range-scale';
import type { Look } from './state';

type Format = Pick<FrameFormat, 'dtype' | 'colorSpace'>;

/** Rounding in the view pass is no clipping. */
const SLACK = 1 / 1024;

/**
 * Share of the finite values outside what the picture can show, 0..1, to the width of a bin of the histogram.
 * Null: not known without a histogram, or the values are names.
 */
export function clippedShare(
  { histogram, stats }: FrameInfo,
  look: Pick<Look, 'range' | 'exposure' | 'toneMap' | 'falseColor'>,
  format?: Format,
): number | null {
  if (!histogram || look.falseColor === 'ids' || look.falseColor === 'labels') return null;
  const isColor = format?.colorSpace !== 'data';
  const [black, white] = isColor ? [0, whiteOf(format, look)] : scaleOf(look, stats);
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

/** The values at the ends of the colours of data. */
function scaleOf(look: Pick<Look, 'range' | 'exposure' | 'falseColor'>, { min, max }: Pick<FrameStats, 'min' | 'max'>): Range {
  const [low, high] = look.range ?? ownRange(look, [min, max]);
  const shown = (high - low) * 2 ** -look.exposure;
  const begin = isSigned(look) ? (low + high - shown) / 2 : low;
  return [begin, begin + shown];
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
