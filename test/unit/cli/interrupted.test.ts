import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { Interrupted, orInterrupted } from '../../../helper/cli/interrupted';

const whenAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('The test was cancelled.'))));

describe('work that ends by itself when it is aborted', () => {
  it('ends as interrupted after a signal, and listens no longer', async () => {
    const before = process.listenerCount('SIGHUP');
    const work = orInterrupted(whenAborted);
    process.emit('SIGHUP');
    await expect(work).rejects.toMatchObject({ name: 'Interrupted', exitCode: 129 });
    expect(process.listenerCount('SIGHUP')).toBe(before);
    expect(new Interrupted('SIGINT').exitCode).toBe(130);
  });

  it('keeps its own error, and its result, without one', async () => {
    await expect(orInterrupted(() => Promise.reject(new Error('no device')))).rejects.toThrow('no device');
    expect(await orInterrupted(async () => 5)).toBe(5);
  });
});
