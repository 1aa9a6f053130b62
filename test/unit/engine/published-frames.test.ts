/** A program publishes, the command line saves: the way of a frame through every process, byte for byte. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { bundleEngine, realAddon } from './harness';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

const root = path.resolve(import.meta.dirname, '../../..');
const addon = realAddon();
const python = spawnSync('python3', ['--version']).status === 0;
const listens = addon && spawnSync(process.execPath, ['-e', `process.exit(require(${JSON.stringify(addon)}).openHub ? 0 : 1)`]).status === 0;
if (!listens) console.log('skipped: the addon has not been built (npm run build)');
if (!python) console.log('skipped: there is no python3');

const bundle = bundleEngine();
const folder = mkdtempSync(path.join(tmpdir(), 'seamscope-published-'));
/** Named, so that no other engine of this machine is found. */
const SEAMSCOPE_SOCKET = path.join(folder, 'seamscope', 'test.sock');
const env = { ...process.env, SEAMSCOPE_ADDON: addon ?? '', XDG_RUNTIME_DIR: folder, SEAMSCOPE_SOCKET };
const started: ChildProcess[] = [];
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Texel (x, y) of every frame is [x, y, 7, 255]: 5 x 3 texels. */
const PROGRAM = `
import sys, time
sys.path.insert(0, ${JSON.stringify(path.join(root, 'native/publisher'))})
import ctypes, seamscope
texels = bytearray(v for y in range(3) for x in range(5) for v in (x, y, 7, 255))
memory = (ctypes.c_char * len(texels)).from_buffer(texels)
class Frame:
    __array_interface__ = {'version': 3, 'shape': (3, 5, 4), 'typestr': '|u1', 'data': (ctypes.addressof(memory), True)}
while True:
    seamscope.publish('color', Frame())
    time.sleep(0.01)
`;

function publish(name: string): ChildProcess {
  const file = path.join(folder, name);
  writeFileSync(file, PROGRAM);
  const child = spawn('python3', [file], { env, stdio: 'ignore' });
  started.push(child);
  return child;
}

function cli(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [path.join(bundle, 'cli.js'), ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  started.push(child);
  return child;
}

async function outcome(child: ChildProcess) {
  let text = '';
  child.stdout?.on('data', (bytes) => (text += bytes));
  child.stderr?.on('data', (bytes) => (text += bytes));
  const [code] = await once(child, 'close');
  return { code, text };
}

const expected = Array.from({ length: 15 }, (_, i) => [i % 5, Math.floor(i / 5), 7, 255]).flat();

describe.skipIf(!listens || !python)('a program that publishes', () => {
  it('is waited for, and its bytes are saved untouched', async () => {
    const file = path.join(folder, 'frame.npy');
    const preview = outcome(cli('preview', '--source', 'early', '--frames', '3', '--out', file, '--wait', '60'));
    publish('early.py');
    expect(await preview).toMatchObject({ code: 0, text: expect.stringContaining('1 host copy') });
    expect([...readFileSync(file).subarray(-60)]).toEqual(expected);
  });

  it('is found through the engine that runs already, which goes with its standard input and leaves nothing', async () => {
    const engine = cli('engine');
    const [first] = await once(engine.stdout!, 'data');
    const socket = /publish to (\S+\.sock)/.exec(String(first))?.[1] ?? '';
    expect(socket).toBe(SEAMSCOPE_SOCKET);
    expect(existsSync(socket)).toBe(true);
    publish('served.py');
    for (const round of [1, 2]) {
      const file = path.join(folder, `served${round}.npy`);
      expect(await outcome(cli('preview', '--source', 'served.py', '--frames', '2', '--out', file, '--wait', '60'))).toMatchObject({ code: 0 });
      expect([...readFileSync(file).subarray(-60)]).toEqual(expected);
    }
    const ended = once(engine, 'close');
    engine.stdin?.end();
    expect(await ended).toEqual([0, null]);
    expect(existsSync(socket)).toBe(false);
  });

  it('goes on when the engine is killed and another one starts, at the socket that the dead one left', async () => {
    const program = publish('survivor.py');
    const saved: string[] = [];
    for (const round of [1, 2, 3]) {
      const engine = cli('engine');
      await once(engine.stdout!, 'data');
      const file = path.join(folder, `survivor${round}.npy`);
      expect(await outcome(cli('preview', '--source', 'survivor.py', '--frames', '1', '--out', file, '--wait', '60'))).toMatchObject({ code: 0 });
      saved.push(readFileSync(file).subarray(-60).toString('hex'));
      const ended = once(engine, 'close');
      engine.kill('SIGKILL');
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(existsSync(SEAMSCOPE_SOCKET)).toBe(true);
      expect(program.exitCode ?? program.signalCode).toBeNull();
    }
    expect(saved).toEqual(Array(3).fill(Buffer.from(expected).toString('hex')));
  });

  it('is named, with what did publish, when it does not come', async () => {
    publish('other.py');
    const { code, text } = await outcome(cli('preview', '--source', 'missing', '--frames', '1', '--wait', '6'));
    expect(code).toBe(2);
    expect(text).toContain('No program published as "missing" in time');
    expect(text).toContain('other.py');
    expect(text).not.toMatch(/\n\s+at /);
  });
});
