import { describe, expect, it } from 'vitest';
import { fitModel } from '../../../helper/engine/seamtest-model';
import { measuredRun, skippedRun } from './fixtures';

const timeline = (points: [slots: number, us: number][]) =>
  points.map(([slots, usPerFrame]) => measuredRun({ mode: 'timeline', slots }, { usPerFrame }));

describe('the model frame = work + hand-over / slots', () => {
  it('finds what the measured table of an H200 was made of', () => {
    const model = fitModel(
      timeline([
        [1, 327],
        [2, 172],
        [3, 121],
        [8, 58],
      ]),
      { vulkanUs: 9.5, partnerUs: 5 },
    );
    expect(model?.handoverUs).toBeCloseTo(307, -1);
    expect(model?.workUs).toBeCloseTo(19, 0);
    expect(model?.switchUs).toBeCloseTo(153, -1);
    expect(model?.rSquared).toBeGreaterThan(0.999);
    expect(model?.overlap).toBe(0);
    expect(model?.slotsWorthHaving).toBeGreaterThan(16);
    expect(model?.words.join('\n')).toMatch(/3 slots 2\.70 times, 8 slots 5\.64 times/);
    expect(model?.words.join('\n')).toMatch(/take turns on the device/);
  });

  it.each([
    ['no gain', [1, 2, 3, 8].map((slots): [number, number] => [slots, 500 + (slots % 2)]), 1, /no steady difference/],
    ['heavy work', [1, 2, 3, 8].map((slots): [number, number] => [slots, 1000 + 100 / slots]), 1, /One slot is enough/],
    ['two slots', [1, 2, 3, 8].map((slots): [number, number] => [slots, 100 + 30 / slots]), 2, /Use 2 slots/],
  ])('%s', (_, points, worth, words) => {
    const model = fitModel(timeline(points), null);
    expect(model?.slotsWorthHaving).toBe(worth);
    expect(model?.words.join('\n')).toMatch(words);
  });

  it('advises no more slots than were measured where no work is left to a frame, and claims no check of two points', () => {
    const model = fitModel(
      timeline([
        [1, 1611],
        [3, 259],
      ]),
      null,
    );
    expect(model).toMatchObject({ workUs: 0, slotsWorthHaving: 3 });
    expect(model?.rSquared).toBeLessThan(0.95);
    expect(model?.words.join('\n')).toMatch(/nothing checks[\s\S]*Use 3 slots, the most that were measured/);
  });

  it('claims to explain nothing where more slots were slower', () => {
    const model = fitModel(
      timeline([
        [1, 4022],
        [3, 7582],
      ]),
      null,
    );
    expect(model?.words.join('\n')).toMatch(/no steady difference here \(frames came no faster with more of them\)/);
    expect(model?.words.join('\n')).not.toMatch(/explains/);
  });

  it('says how much of the shorter side is hidden', () => {
    const model = fitModel(timeline([1, 2, 3, 8].map((slots): [number, number] => [slots, 150 + 60 / slots])), { vulkanUs: 100, partnerUs: 100 });
    expect(model?.overlap).toBeCloseTo(0.5);
    expect(model?.words.at(-1)).toMatch(/50 % of the shorter one's work is hidden/);
  });

  it('takes fences where timelines were skipped, and nothing from other kinds of runs', () => {
    const runs = [
      skippedRun({ mode: 'timeline', slots: 1 }),
      measuredRun({ slots: 1 }, { usPerFrame: 300 }),
      measuredRun({ slots: 2 }, { usPerFrame: 200 }),
      measuredRun({ slots: 3, ownership: 'inverted' }, { usPerFrame: 9 }),
      measuredRun({ slots: 3, processes: 2 }, { usPerFrame: 9 }),
      measuredRun({ slots: 3, direction: 'partner-to-vulkan' }, { usPerFrame: 9 }),
      measuredRun({ slots: 3, resource: 'image' }, { usPerFrame: 9 }),
    ];
    expect(fitModel(runs, null)).toMatchObject({ mode: 'fence', workUs: 100, handoverUs: 200, fitted: [{ slots: 1 }, { slots: 2 }] });
    expect(fitModel(runs.slice(0, 2), null)).toBeNull();
  });
});
