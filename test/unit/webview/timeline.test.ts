import { describe, expect, it } from 'vitest';
import { describeDrawn, type FrameTimes, stackedBars, Timeline, timesOf, total } from '../../../webview/src/preview/timeline';

const times = (produce: number, draw = 0): FrameTimes => ({ produce, handoff: 0, ingest: 0, view: 0, encode: 0, draw });

describe('timeline', () => {
  it('takes the stages out of what travels with a picture', () => {
    expect(timesOf({ times: { render: 1, ingest: 2, view: 3, encode: 4 } }, 5)).toEqual({
      produce: 1,
      handoff: 0,
      ingest: 2,
      view: 3,
      encode: 4,
      draw: 5,
    });
    expect(total(times(2, 3))).toBe(5);
  });

  it.each([
    [undefined, ''],
    [{ pass: 'gpu', ms: 0.31 }, 'View by GPU, 0.3 ms'],
    [{ pass: 'cpu', ms: 1, otherMs: 4.06 }, 'View by C++, 1.0 ms (GPU 4.1 ms)'],
  ] as const)('says who drew %o', (drawn, text) => {
    expect(describeDrawn({ drawn })).toBe(text);
  });

  it('keeps the newest pictures only', () => {
    const timeline = new Timeline();
    for (let at = 0; at < 500; at++) timeline.add(times(at));
    expect(timeline.frames.length).toBe(timeline.length);
    expect(timeline.frames.at(-1)?.produce).toBe(499);
    timeline.clear();
    expect(timeline.mean().produce).toBe(0);
  });

  it('is not flattened by one straggler', () => {
    const timeline = new Timeline();
    for (let at = 0; at < 60; at++) timeline.add(times(8));
    timeline.add(times(900));
    expect(timeline.top()).toBe(10);
  });

  it('stacks what each picture took, the newest at the right', () => {
    const paths = stackedBars([times(5, 5)], 4, 100, 10);
    expect(paths.produce).toBe('M3 100.00h0.9v-50.00h-0.9z');
    expect(paths.draw).toBe('M3 50.00h0.9v-50.00h-0.9z');
    expect(paths.view).toBe('');
    // Above the top it ends.
    expect(stackedBars([times(50)], 4, 100, 10).produce).toBe('M3 100.00h0.9v-100.00h-0.9z');
  });
});
