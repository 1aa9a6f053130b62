import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { environmentOf, overridesFor, parseVariables, programIn } from '../../../../extension/src/devices-panels/environment';

describe('typed variables', () => {
  it.each([
    ['', {}],
    ['CUDA_VISIBLE_DEVICES=1,0', { CUDA_VISIBLE_DEVICES: '1,0' }],
    ['  A=1   B= C ', { A: '1', B: '', C: null }],
    [`A="two words" B='it''s' C=a\\ b`, { A: 'two words', B: 'its', C: 'a b' }],
    ['A="a \\"quoted\\" \\n" B=x=y', { A: 'a "quoted" \\n', B: 'x=y' }],
    ["A='$HOME `id`'", { A: '$HOME `id`' }],
  ])('%j', (text, expected) => {
    expect(parseVariables(text)).toEqual(expected);
  });

  it.each([
    ['A="open', /quote is not closed/],
    ['1A=2', /"1A=2" does not begin with the name/],
    ['=x', /does not begin/],
    ['A=1 B\\', /quote is not closed/],
  ])('%j is refused', (text, message) => {
    expect(() => parseVariables(text)).toThrow(message);
  });

  it('are text, never run', () => {
    expect(parseVariables('A=$(x);`y` B')).toEqual({ A: '$(x);`y`', B: null });
  });
});

describe('the environment of a process', () => {
  it('is laid over the engine: only what drivers read, and what it lacks is removed', () => {
    const base = { CUDA_VISIBLE_DEVICES: '0', VK_DRIVER_FILES: 'x', PATH: 'a', LD_LIBRARY_PATH: 'same' };
    const target = { CUDA_VISIBLE_DEVICES: '1', CUDA_DEVICE_ORDER: 'PCI_BUS_ID', PATH: 'b', LD_LIBRARY_PATH: 'same' };
    expect(overridesFor(target, base)).toEqual({ CUDA_VISIBLE_DEVICES: '1', CUDA_DEVICE_ORDER: 'PCI_BUS_ID', VK_DRIVER_FILES: null });
  });

  it('is read from the system, of a shell and of what runs in it', async () => {
    const shell = spawn('sh', ['-c', 'echo up; CUDA_VISIBLE_DEVICES=3 sleep 60; true'], { env: { ...process.env, CUDA_VISIBLE_DEVICES: '5' } });
    try {
      await new Promise((resolve) => shell.stdout.once('data', resolve));
      await expect.poll(() => programIn(shell.pid!), { timeout: 20_000 }).toMatchObject({ command: 'sleep 60' });
      const program = await programIn(shell.pid!);
      expect((await environmentOf(shell.pid!))?.CUDA_VISIBLE_DEVICES).toBe('5');
      expect((await environmentOf(program!.pid))?.CUDA_VISIBLE_DEVICES).toBe('3');
      process.kill(program!.pid);
    } finally {
      shell.kill('SIGKILL');
    }
  });

  it('is not there for a process that has ended', async () => {
    expect(await environmentOf(2 ** 30)).toBeUndefined();
    expect(await programIn(2 ** 30)).toBeUndefined();
  });
});
