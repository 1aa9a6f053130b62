// The program of test/gpu/renderer_cost.mjs, on the software renderer and on the stand-in CUDA driver, so that it is known to work where it counts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const built = path.resolve(import.meta.dirname, '../../../build/native-tests');
const program = path.join(built, 'examples/renderer');
if (!existsSync(program)) console.log(`skipped: ${program} is not built`);

const folder = mkdtempSync(path.join(os.tmpdir(), 'seamscope-renderer-'));
afterAll(() => rmSync(folder, { recursive: true }));
const machine = path.join(folder, 'machine.json');
writeFileSync(machine, JSON.stringify({ gpus: [{ name: 'Stand-in', uuid: '00000000-0000-0000-0000-000000000001' }] }));
const isReal = existsSync('/dev/nvidiactl');

function answers(api: string, commands: string[]) {
  const doubles = isReal ? {} : { LD_LIBRARY_PATH: path.join(built, 'doubles/driver'), SEAMSCOPE_DOUBLES: machine };
  const { stdout } = spawnSync(program, [api, '64x36', '1'], {
    env: { ...process.env, ...(api === 'cuda' ? doubles : {}), SEAMSCOPE_SOCKET: 'off' },
    input: `${commands.join('\n')}\n`,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe.skipIf(!existsSync(program))('the renderer of the benchmark', () => {
  it.each(['vulkan', 'cuda'])('draws, publishes and copies with %s', { timeout: 90_000 }, (api) => {
    const commands = ['plain 0.1', 'publish 0.1', 'copy 0.1', 'copy 0.2 20', 'settle unwatched 5', 'settle published 0.1', 'nonsense'];
    const [first, plain, published, copied, some, unwatched, never, refused] = answers(api, commands);
    expect(first).toMatchObject({ device: expect.any(String), frameMs: expect.any(Number) });
    for (const block of [plain, published, copied]) expect(block.frames).toBeGreaterThan(0);
    expect(copied.copied).toBe(copied.frames);
    expect([plain.copied, plain.published, published.published]).toEqual([0, 0, 0]);
    expect(some.copied).toBeLessThan(some.frames + 1);
    expect(some.copied).toBeLessThanOrEqual(5);
    expect([unwatched.settled, never.settled]).toEqual([true, false]);
    expect(refused.error).toContain('nonsense');
  });

  it('says what is wrong with its arguments', () => {
    const { status, stdout } = spawnSync(program, ['vulkan', 'large', '1'], { encoding: 'utf8', timeout: 20_000 });
    expect(status).toBe(1);
    expect(JSON.parse(stdout).error).toContain('Usage');
  });
});
