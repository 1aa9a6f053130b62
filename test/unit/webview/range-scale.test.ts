import { describe, expect, it } from 'vitest';
import { axisOf, bars, fromShare, moved, toShare } from '../../../webview/src/preview/range-scale';

describe('axis of the histogram', () => {
  it.each([
    [[0, 1], null, [0, 1]],
    [
      [0, 1],
      [0.25, 4],
      [0, 4],
    ],
    [
      [0, 1],
      [-2, 0.5],
      [-2, 1],
    ],
    // One value only: an axis all the same.
    [[3, 3], null, [2.5, 3.5]],
  ] as const)('values %j, range %j', (values, range, axis) => {
    expect(axisOf([...values], range && [...range])).toEqual(axis);
  });

  it('goes from value to share and back', () => {
    for (const value of [-2, 0.25, 7]) expect(fromShare(toShare(value, [-2, 7]), [-2, 7])).toBeCloseTo(value);
    expect([toShare(-5, [0, 1]), toShare(5, [0, 1])]).toEqual([0, 1]);
  });
});

describe('ends of the range', () => {
  it.each([
    ['low', 0.5, [0.5, 1]],
    ['high', 0.25, [0, 0.25]],
    // They never cross.
    ['low', 7, [0.999, 1]],
    ['high', -7, [0, 0.001]],
  ] as const)('%s to %d', (end, value, expected) => {
    const [low, high] = moved([0, 1], end, value, [0, 1]);
    expect([low, high].map((each) => Number(each.toFixed(6)))).toEqual(expected);
  });
});

describe('bars', () => {
  it('sums bins, the highest bar being 1', () => {
    expect(bars({ low: 0, high: 4, counts: [4, 0, 2, 2] }, [0, 4], 2)).toEqual([1, 1]);
    expect(bars({ low: 0, high: 4, counts: [16, 0, 4, 0] }, [0, 4], 4)).toEqual([1, 0, 0.5, 0]);
  });

  it('leaves air where the range reaches beyond the values', () => {
    expect(bars({ low: 0, high: 1, counts: [1, 1] }, [0, 2], 4)).toEqual([1, 1, 0, 0]);
  });

  it('is flat without values', () => {
    expect(bars({ low: 0, high: 0, counts: [0, 0] }, [0, 1], 2)).toEqual([0, 0]);
  });
});
