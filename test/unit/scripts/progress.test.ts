import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { step } from '../../../scripts/lib/progress.mjs';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function told(work: () => Promise<unknown>, quietMs = 0): Promise<string> {
  let text = '';
  const run = step('building', work, { prefix: 'x: ', quietMs, stream: { write: (part) => (text += part) } }).catch(() => {});
  await vi.advanceTimersByTimeAsync(60_000);
  await run;
  return text;
}

describe('a long step', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is named at once, every few seconds and at its end', async () => {
    expect(await told(() => wait(12_000))).toBe('x: building ...\nx: building ... 5 s\nx: building ... 10 s\nx: building: 12 s\n');
  });

  it('is not mentioned when it turns out short', async () => {
    expect(await told(() => wait(1000), 1500)).toBe('');
    expect(await told(() => wait(3000), 1500)).toBe('x: building ...\nx: building: 3 s\n');
  });

  it('ends its report when it fails', async () => {
    const failing = () => wait(2000).then(() => Promise.reject(new Error('no')));
    expect(await told(failing)).toBe('x: building ...\nx: building: 2 s\n');
  });
});
