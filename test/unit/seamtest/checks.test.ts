import { describe, expect, it } from 'vitest';
import { checksOf } from '../../../helper/engine/seamtest-checks';
import type { SeamControl, SeamTeardown } from '../../../helper/protocol/seamtest';
import { failedRun, measuredRun, skippedRun } from './fixtures';

const control = (tripped: boolean): SeamControl => ({
  name: 'staleReader',
  result: { counter: 'framesWrong', counted: tripped ? 20 : 0, expected: '20', tripped },
});
const violation = { released: 'CUDA: allocation', usedBy: ['Vulkan: import'], consequence: 'Undefined.' };
const teardown = (parts: Partial<SeamTeardown>): SeamTeardown => ({
  order: 'documented',
  ownership: 'exporter',
  repetition: 1,
  predicted: [],
  outcome: 'clean',
  detail: 'Nothing was reported.',
  validated: true,
  ...parts,
});
const failures = (input: Partial<Parameters<typeof checksOf>[0]>) =>
  checksOf({ runs: [measuredRun()], controls: [], teardown: [], ...input })
    .filter(({ ok }) => !ok)
    .map(({ name, message }) => `${name}: ${message}`);

describe('what must hold', () => {
  it('passes clean runs, skipped ones included', () => {
    const wrongOrder = teardown({ order: 'ownerFirst', ownership: 'inverted', predicted: [violation], outcome: 'crash' });
    expect(failures({ runs: [measuredRun(), skippedRun()], controls: [control(true)], teardown: [teardown({}), wrongOrder] })).toEqual([]);
  });

  it.each([
    ['framesWrong', { framesWrong: 3 }, /^framesWrong: 1 of 1 runs, first fence, 1 slot, exporter, 1 process, .*: 3 frames/],
    ['hostCopies', { hostCopies: 1 }, /^hostCopies: .*: 1 copies through the host/],
    ['fdGrowth', { fdGrowth: -2 }, /^fdGrowth: .*: -2 file descriptors/],
    ['importsPerFrame', { importsPerFrame: 0.5 }, /^importsPerFrame: .*: 0.5 imports a frame/],
    ['leftovers', { openHandles: ['Vulkan: memory'], fdsLeft: 1 }, /^leftovers: .*: 2 handles/],
  ])('%s', (_, found, message) => {
    expect(failures({ runs: [measuredRun({}, found)] })).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    ['a run that failed', { runs: [measuredRun(), failedRun()] }, /^runs: fence, 1 slot, .*: cuMemCreate failed/],
    ['nothing but skipped runs', { runs: [skippedRun()] }, /^runs: 0 runs/],
    ['a control that did not trip', { controls: [control(false)] }, /^control staleReader: .*asleep/],
    [
      'a control that could not run',
      { controls: [{ name: 'staging', result: { failed: { message: 'Lost.', nextStep: '' } } }] },
      /^control staging: Lost/,
    ],
    [
      'a documented teardown that crashed',
      { teardown: [teardown({ outcome: 'crash', detail: 'It crashed.' })] },
      /^documented teardown: exporter: It crashed/,
    ],
    ['a documented order that the ledger refuses', { teardown: [teardown({ predicted: [violation] })] }, /^documented teardown/],
    [
      'a wrong order that was not caught every time',
      {
        teardown: [
          teardown({ order: 'ownerFirst', ownership: 'inverted', predicted: [violation] }),
          teardown({ order: 'ownerFirst', ownership: 'inverted', repetition: 2 }),
        ],
      },
      /^inverted wrong order: caught 1 of 2 times/,
    ],
  ] satisfies [string, Parameters<typeof failures>[0], RegExp][])('fails for %s', (_, input, message) => {
    expect(failures(input)).toEqual([expect.stringMatching(message)]);
  });
});
