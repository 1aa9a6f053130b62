import { describe, expect, it } from 'vitest';
import { verdictOf } from '../../../helper/engine/seamtest-verdict';
import { failedRun, measuredRun } from './fixtures';
import { deviceReport } from './report-fixture';

const headline = (...devices: Parameters<typeof verdictOf>[0]) => verdictOf(devices).headline;

describe('the verdict', () => {
  it('says in plain words what holds, what was noticed and what the wrong order did', () => {
    expect(verdictOf([deviceReport()])).toEqual({
      headline: 'Passed: frames cross between Vulkan and CUDA without a wrong frame, a host copy or a leaked descriptor.',
      sentences: [
        '4 of 5 runs were measured, 1 cannot be made here.',
        '2 of 2 faults made on purpose were noticed.',
        'Freeing the owner first under inverted ownership: predicted 1 of 1 times; what this driver did: crash.',
      ],
      nextSteps: [],
    });
  });

  it('claims nothing about CUDA where the host stood in for it', () => {
    expect(headline(deviceReport({ partner: 'host' }))).toMatch(/^Passed without CUDA/);
  });

  it.each([
    ['wrong frames', deviceReport({ runs: [measuredRun({}, { framesWrong: 3 })] }), /^Failed: the consumer read frames that were not the newest\.$/],
    ['a run that failed', deviceReport({ runs: [measuredRun(), failedRun()] }), /^Failed: a run could not be made\.$/],
    [
      'two faults',
      deviceReport({ runs: [measuredRun({}, { hostCopies: 1, fdGrowth: 2 })] }),
      /^Failed: frames went through host memory, and file descriptors were left open/,
    ],
    [
      'a control that slept',
      deviceReport({ controls: [{ name: 'staging', result: { counter: 'hostCopies', counted: 0, expected: '20', tripped: false } }] }),
      /made on purpose was not noticed/,
    ],
  ])('names %s, with a next step', (_, report, words) => {
    const verdict = verdictOf([report]);
    expect(verdict.headline).toMatch(words);
    expect(verdict.nextSteps.length).toBeGreaterThan(0);
    const { name, message } = report.checks.find(({ ok }) => !ok)!;
    expect(verdict.sentences[0]).toBe(`${name}: ${message.replace(/\.$/, '')}.`);
  });

  it('has words for every check that can fail', () => {
    const checks = deviceReport().checks.map((check) => ({ ...check, ok: false }));
    const { headline: words } = verdictOf([{ ...deviceReport(), checks }], { name: 'copies across devices', ok: false, message: 'x' });
    expect(checks.length).toBeGreaterThan(8);
    expect(words).not.toContain('a check does not hold');
  });
});
