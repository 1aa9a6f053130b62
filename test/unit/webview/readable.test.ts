import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Readable } from '../../../webview/src/preview/readable';

describe('Readable', () => {
  let shown: number[];
  let readable: Readable<number>;

  beforeEach(() => {
    vi.useFakeTimers();
    shown = [];
    readable = new Readable((value) => shown.push(value));
  });
  afterEach(() => void vi.useRealTimers());

  it('shows the first at once and then the newest of each tenth of a second', () => {
    for (let at = 0; at < 250; at += 10) {
      readable.next(at, at, false);
      vi.advanceTimersByTime(10);
    }
    expect(shown).toEqual([0, 90, 190]);
    vi.advanceTimersByTime(1000);
    expect(shown).toEqual([0, 90, 190, 240]);
  });

  it('shows a picture at rest at once, and nothing that it has overtaken', () => {
    readable.next(1, 0, false);
    readable.next(2, 10, false);
    readable.next(3, 20, true);
    vi.advanceTimersByTime(1000);
    expect(shown).toEqual([1, 3]);
  });

  it('forgets what means nothing any more', () => {
    readable.next(1, 0, false);
    readable.next(2, 10, false);
    readable.clear();
    vi.advanceTimersByTime(1000);
    expect(shown).toEqual([1]);
  });
});
