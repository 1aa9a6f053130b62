import { expect, it } from 'vitest';
import { acrossCheck, acrossSteps } from '../../../helper/engine/seamtest-across';
import { seamMarkdown } from '../../../helper/engine/seamtest-markdown';
import type { SeamTarget } from '../../../helper/engine/seamtest-plan';
import type { VulkanDevice } from '../../../helper/protocol/devices';
import type { SeamPeerCopy } from '../../../helper/protocol/seamtest';
import { seamReport } from './report-fixture';

const target = (cudaOrdinal?: number): SeamTarget => ({ device: {} as VulkanDevice, ...(cudaOrdinal === undefined ? {} : { cudaOrdinal }) });
const copy: SeamPeerCopy = { from: 0, ordinal: 1, canAccess: true, bytes: 8_294_400, stagedUs: 900, directUs: 40, wordsWrong: 0 };
const across = { crossings: [], notMeasured: [], words: [] };

it('nothing crosses with fewer than two matched devices', () => {
  expect(acrossSteps([target(0), target()])).toBe(0);
});

it('each device copies to the others, and each memory is tried on each other device', () => {
  expect(acrossSteps([target(0), target(1), target(2)])).toBe(3 + 6);
});

it('passes when every word arrived', () => {
  expect(acrossCheck({ ...across, copies: [copy, { ...copy, from: 1, ordinal: 0 }] })).toEqual({
    name: 'copies across devices',
    ok: true,
    message: '2 pairs, every word right',
  });
});

it('fails with the pair whose words were wrong', () => {
  const check = acrossCheck({ ...across, copies: [copy, { ...copy, from: 1, ordinal: 0, wordsWrong: 7 }] });
  expect(check).toMatchObject({ ok: false, message: 'CUDA 1 to CUDA 0: 7 words wrong' });
});

it('fails with the reason when copies could not be measured', () => {
  expect(acrossCheck({ ...across, copies: [], notMeasured: ['CUDA 0: cuMemAlloc failed: out of memory.'] })).toMatchObject({ ok: false });
});

it('the report has a row for each pair, with the rates', () => {
  const report = {
    ...seamReport(),
    across: { ...across, copies: [copy, { ...copy, from: 1, ordinal: 0, directUs: null }], check: { name: 'x', ok: true, message: '2 pairs' } },
  };
  expect(
    seamMarkdown(report)
      .split('\n')
      .filter((line) => line.startsWith('| CUDA')),
  ).toEqual(['| CUDA 0 | CUDA 1 | 40 us, 207.4 GB/s | 900 us, 9.2 GB/s | 0 |', '| CUDA 1 | CUDA 0 | none | 900 us, 9.2 GB/s | 0 |']);
});
