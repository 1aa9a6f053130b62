import { describe, expect, it } from 'vitest';
import { decide, medianInterval } from '../../gpu/statistics.mjs';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => ((index * 11) % count) + 1);

describe('the interval of a median', () => {
  // Ranks out of the binomial table: the largest k with P(X <= k - 1) <= 2.5 % for n fair coins.
  it.each([
    [6, 1, 6],
    [8, 1, 8],
    [9, 2, 8],
    [12, 3, 10],
    [13, 3, 11],
    [20, 6, 15],
    [25, 8, 18],
  ])('of 1 to %i reaches from %i to %i', (count, low, high) => {
    const interval = medianInterval(upTo(count));
    expect(interval).toMatchObject({ median: (count + 1) / 2, low, high, count });
    expect(interval.confidence).toBeGreaterThanOrEqual(0.95);
  });

  it('of too few values is their range, with less confidence', () => {
    expect(medianInterval([3, 1, 2])).toMatchObject({ median: 2, low: 1, high: 3, confidence: 0.75 });
    expect(medianInterval([4])).toMatchObject({ median: 4, low: 4, high: 4, confidence: 0 });
    expect(medianInterval([]).count).toBe(0);
  });
});

describe('a goal', () => {
  it.each([
    [{ low: 0.2, high: 0.9, confidence: 0.95 }, 'yes'],
    [{ low: 1.1, high: 1.4, confidence: 0.95 }, 'no'],
    [{ low: 0.8, high: 1.2, confidence: 0.95 }, 'undecided'],
    [{ low: 0.2, high: 0.3, confidence: 0.5 }, 'undecided'],
  ] as const)('%o is %s', (interval, verdict) => expect(decide(interval, 1)).toBe(verdict));
});
