import { describe, expect, it } from 'vitest';
import { cardsOf } from '../../../webview/src/seam/card-values';
import { layOutChart } from '../../../webview/src/seam/chart-scale';
import { framesPerSecond, grouped, us } from '../../../webview/src/seam/numbers';
import { filteredRuns, hasProblem, skippedReasons, unfiltered } from '../../../webview/src/seam/run-filter';
import { failedRun, measuredRun, skippedRun } from '../seamtest/fixtures';
import { deviceReport } from '../seamtest/report-fixture';

const BOX = { width: 560, height: 220, left: 50, bottom: 30, top: 10, right: 10 };

describe('the chart of the slots', () => {
  const model = deviceReport().model!;
  const layout = layOutChart(model, BOX);

  it('has a point for each number of slots, inside its box and in order', () => {
    expect(layout.points.map(({ slots }) => slots)).toEqual([1, 2, 3, 8]);
    const xs = layout.points.map(({ x }) => x);
    const ys = layout.points.map(({ y }) => y);
    expect(xs).toEqual(xs.toSorted((a, b) => a - b));
    expect(ys).toEqual(ys.toSorted((a, b) => b - a));
    expect(xs[0]).toBe(BOX.left);
    for (const y of ys) expect(y).toSatisfy((value: number) => value >= BOX.top && value <= BOX.height - BOX.bottom);
  });

  it("draws the model's line through what was measured", () => {
    const [first] = layout.points;
    const [, x, y] = /^M([\d.]+) ([\d.]+)/.exec(layout.line)!.map(Number);
    expect(x).toBe(BOX.left);
    expect(Math.abs(y! - first!.y)).toBeLessThan(2);
  });

  it('has round numbers on its axis', () => {
    expect(layout.ticks.map(({ value }) => value)).toEqual([0, 10000, 20000, 30000]);
    expect(layout.columns).toHaveLength(16);
  });

  it('draws no line that explains nothing', () => {
    expect(layOutChart({ ...model, rSquared: 0.3 }, BOX)).toMatchObject({ line: '', worthX: null });
  });

  it('marks the slots worth having where they are on it', () => {
    expect(layOutChart({ ...model, slotsWorthHaving: 3 }, BOX).worthX).toBeCloseTo(BOX.left + (2 / 7) * 500);
    expect(layOutChart({ ...model, slotsWorthHaving: 32 }, BOX).worthX).toBeNull();
  });
});

describe('the cards', () => {
  it('count over all runs and take the hand-off of timelines', () => {
    expect(cardsOf(deviceReport()).map(({ name, value, ok }) => [name, value, ok])).toEqual([
      ['Wrong frames', '0', true],
      ['Host copies', '0', true],
      ['Descriptor growth', '0', true],
      ['Hand-off, timeline', '160 µs', undefined],
      ['Slots worth having', '32', undefined],
    ]);
  });

  it('call nothing right that was not measured, and show what is wrong', () => {
    expect(cardsOf({ runs: [skippedRun()], model: null }).map(({ ok }) => ok)).toEqual([false, false, false]);
    const [wrong] = cardsOf({ runs: [measuredRun({}, { framesWrong: 1200 })], model: null });
    expect(wrong).toMatchObject({ value: '1\u202f200', ok: false });
  });
});

describe('the matrix of runs', () => {
  const runs = [
    measuredRun({ mode: 'timeline' }),
    measuredRun({ ownership: 'inverted' }, { fdGrowth: 1 }),
    measuredRun({ direction: 'partner-to-vulkan' }),
    skippedRun(),
    skippedRun(),
    failedRun(),
  ];

  it.each([
    [{}, 4],
    [{ show: 'all' }, 6],
    [{ show: 'problems' }, 2],
    [{ mode: 'timeline' }, 1],
    [{ owner: 'inverted' }, 1],
    [{ direction: 'partner-to-vulkan', show: 'all' }, 1],
    [{ mode: 'timeline', show: 'problems' }, 0],
  ])('shows for %j %i runs', (filter, count) => {
    expect(filteredRuns(runs, { ...unfiltered, ...filter })).toHaveLength(count);
  });

  it.each([{ framesWrong: 1 }, { hostCopies: 1 }, { fdGrowth: -1 }, { importsPerFrame: 0.1 }, { openHandles: ['Vulkan: memory'] }, { fdsLeft: 1 }])(
    'takes %j for a problem',
    (found) => {
      expect([hasProblem(measuredRun({}, found)), hasProblem(measuredRun())]).toEqual([true, false]);
    },
  );

  it('tells a reason once', () => {
    expect(skippedReasons(runs)).toEqual([{ reason: 'It cannot export timeline semaphores.', count: 2 }]);
  });
});

describe('numbers', () => {
  it.each([
    [us(7.56), '7.6'],
    [us(327.4), '327'],
    [us(12400), '12\u202f400'],
    [framesPerSecond(58), '17\u202f241'],
    [framesPerSecond(0), '–'],
    [grouped(999), '999'],
  ])('%s', (shown, expected) => {
    expect(shown).toBe(expected);
  });
});
