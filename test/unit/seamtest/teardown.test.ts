import { describe, expect, it } from 'vitest';
import type { SeamEnd } from '../../../helper/engine/seamtest-process';
import { judge } from '../../../helper/engine/seamtest-teardown';
import type { SeamEvent } from '../../../helper/protocol/seamtest';

const violation = { released: 'CUDA: allocation', usedBy: ['Vulkan: import'], consequence: 'Undefined.' };
const predicted: SeamEvent = { event: 'predicted', violations: [violation] };
const step: SeamEvent = { event: 'step', text: 'the partner frees its allocation' };
const ended = (parts: Partial<Extract<SeamEvent, { event: 'teardown' }>> = {}): SeamEvent => ({
  event: 'teardown',
  use: 'the memory still held the right frame: the driver counts references',
  violations: [violation],
  openHandles: [],
  validation: [],
  ...parts,
});
const exited = (code: number, words: string[] = []): SeamEnd => ({ how: 'exited', code, words });
const asan = '==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60';
const vuid =
  'Validation Error: [ VUID-vkDestroyDevice-device-00378 ] Object 0: handle = 0x1; | MessageID = 0x7 | OBJ ERROR : Memory has not been destroyed. The Vulkan spec states: all.';

describe('what a teardown did', () => {
  it.each([
    ['clean', [predicted, step, ended()], exited(0), /^Nothing was reported; the memory still held/],
    ['crash', [predicted, step], { how: 'signal', signal: 'SIGSEGV', words: [] }, /ended by SIGSEGV.*\(after: the partner frees its allocation\)/],
    ['crash', [predicted, step], exited(139), /exit code 139/],
    ['hang', [predicted, step], { how: 'hung', words: [] }, /did not return \(after: the partner/],
    ['sanitizer-report', [predicted, step], exited(1, ['noise', asan]), /heap-use-after-free/],
    [
      'validation-message',
      [predicted, ended({ validation: [vuid] })],
      exited(0),
      /^VUID-vkDestroyDevice-device-00378: OBJ ERROR : Memory has not been destroyed\.$/,
    ],
    ['driver-error', [predicted, ended({ use: 'the driver answered: cuLaunchKernel failed' })], exited(0), /^The driver answered: cuLaunchKernel/],
    ['driver-error', [{ event: 'error', error: { message: 'cuInit failed.', nextStep: '' } }], exited(1), /^cuInit failed/],
    ['skipped', [{ event: 'skipped', reason: 'No export here.' }], exited(0), /^No export here/],
  ] satisfies [string, SeamEvent[], SeamEnd, RegExp][])('%s', (outcome, events, end, detail) => {
    const result = judge(events, end);
    expect(result).toMatchObject({ outcome, detail: expect.stringMatching(detail) });
  });

  it('keeps what the ledger predicted even when the process crashed', () => {
    const { predicted: kept, validated } = judge([{ event: 'validating' }, predicted], { how: 'signal', signal: 'SIGABRT', words: [] });
    expect([kept, validated]).toEqual([[violation], true]);
  });
});
