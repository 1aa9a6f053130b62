import { describe, expect, it } from 'vitest';
import { CreditWindow } from '../../../../extension/src/preview/credit-window';

interface Way {
  wayMs: number;
  stepMs: number;
  seconds: number;
  from?: number;
}

/** Runs a way of `wayMs` that takes one picture after another every `stepMs` at the soonest, for `seconds`. */
function run(window: CreditWindow, { wayMs, stepMs, seconds, from = 0 }: Way): number {
  const arrivals: number[] = [];
  let free = 0;
  for (let now = from; now < from + seconds * 1000; now++) {
    for (; arrivals.length > 0 && arrivals[0]! <= now; arrivals.shift()) window.drawn(1, now);
    if (window.underWay >= window.size) continue;
    window.sent(now);
    free = Math.max(free, now) + stepMs;
    arrivals.push(free + wayMs - stepMs);
  }
  return window.size;
}

describe('CreditWindow', () => {
  it('begins with two, and stays there while nothing is known', () => {
    const window = new CreditWindow();
    expect(window.size).toBe(2);
    window.sent(0);
    expect([window.size, window.underWay]).toEqual([2, 1]);
  });

  it.each([
    ['a short way that a processor fills', { wayMs: 20, stepMs: 20 }, 2],
    ['a short way, and a slow source', { wayMs: 15, stepMs: 100 }, 2],
    ['a way of 50 ms', { wayMs: 50, stepMs: 16 }, 4],
    ['a way of 100 ms', { wayMs: 100, stepMs: 16 }, 6],
    ['a way of 2 s: the rate is what suffers', { wayMs: 2000, stepMs: 16 }, 6],
  ])('%s', (_name, way, expected) => {
    expect(run(new CreditWindow(), { ...way, seconds: 15 })).toBe(expected);
  });

  it('gets smaller again when the way does', () => {
    const window = new CreditWindow();
    expect(run(window, { wayMs: 100, stepMs: 16, seconds: 8 })).toBe(6);
    window.forget();
    expect(run(window, { wayMs: 20, stepMs: 20, seconds: 25, from: 8000 })).toBe(2);
  });

  it('is not misled for long by a slow start', () => {
    const window = new CreditWindow();
    window.sent(0);
    window.sent(0);
    const sizes: number[] = [];
    // The first takes 300 ms, then one comes every 20 ms; the way is never empty by itself.
    for (let now = 300; now < 4000; now += 20) {
      window.drawn(1, now);
      while (window.underWay < window.size) window.sent(now);
      sizes.push(window.size);
    }
    expect([Math.max(...sizes), sizes.at(-1)]).toEqual([6, 2]);
  });

  it('does not count what has been lost on the way', () => {
    const window = new CreditWindow();
    window.sent(0);
    window.sent(0);
    window.forget();
    expect(window.underWay).toBe(0);
    window.drawn(2, 5);
    expect(window.size).toBe(2);
  });
});
