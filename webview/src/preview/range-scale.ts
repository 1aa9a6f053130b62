/** The axis of the histogram: which values it spans and where the ends of the range lie on it. Pure arithmetic. */
import type { Histogram } from '../../../helper/protocol/frames';

export type Range = [low: number, high: number];

/** The axis shows all values and the whole range, with a little air; never empty. */
export function axisOf(values: Range, range: Range | null): Range {
  const low = Math.min(values[0], range?.[0] ?? values[0]);
  const high = Math.max(values[1], range?.[1] ?? values[1]);
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

export function toShare(value: number, [low, high]: Range): number {
  return Math.min(Math.max((value - low) / (high - low), 0), 1);
}

export function fromShare(share: number, [low, high]: Range): number {
  return low + share * (high - low);
}

/** The range after one end was moved: ends never cross, a span is left between them. */
export function moved(range: Range, end: 'low' | 'high', value: number, axis: Range): Range {
  const least = (axis[1] - axis[0]) / 1000;
  return end === 'low' ? [Math.min(value, range[1] - least), range[1]] : [range[0], Math.max(value, range[0] + least)];
}

/** As far below 0 as above. */
export function evenly(most: number): Range {
  return [-most, most];
}

/** Heights 0..1 of `columns` bars over the axis; square roots, or a single peak would flatten the rest. */
export function bars({ low, high, counts }: Pick<Histogram, 'low' | 'high' | 'counts'>, axis: Range, columns: number): number[] {
  const sums = new Array<number>(columns).fill(0);
  const span = (high - low) / counts.length;
  counts.forEach((count, bin) => {
    const at = Math.floor(toShare(low + (bin + 0.5) * span, axis) * columns);
    sums[Math.min(at, columns - 1)]! += count;
  });
  const most = Math.max(...sums);
  return sums.map((sum) => (most === 0 ? 0 : Math.sqrt(sum / most)));
}
