// 10,000 frames of another process through the hub, each looked at: none wrong, none backwards, no descriptor more in either process; the
// program killed and started again, the engine killed and started again. Over GPU memory, and over host memory with Vulkan hidden.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { EngineClient, localEngine } from '../../helper/engine/client';
import { devices } from './command-line.mjs';

const FRAMES = 10_000;
const SIZE = { width: 96, height: 32 };
const LIMIT_MS = 120_000;
const folder = mkdtempSync(path.join(os.tmpdir(), 'seamscope-hub-'));
after(() => rmSync(folder, { recursive: true }));
const engineFile = path.join(process.env.SEAMSCOPE_DIST, 'engine.js');
const HIDDEN = { VK_DRIVER_FILES: '/nowhere.json', VK_ICD_FILENAMES: '/nowhere.json' };

const look = { exposure: 0, gamma: 1, toneMap: 'none', falseColor: 'none', range: null, channelMask: 15, flipY: false, swapRb: false };
const view = {
  ...{ output: 'color', ...SIZE, rect: { x: 0, y: 0, ...SIZE }, ...look, overlayNan: false, overlayClip: false },
  ...{ overlayInf: false, overlayNegative: false, encoding: 'rgba', jpegQuality: 80, maxRate: 1000 },
};

/** Columns in red, rows in green, the number of the frame, which the program counts from 0 and the hub from 1, in blue. */
function isRight({ info, bytes }) {
  for (let y = 0; y < SIZE.height; ++y)
    for (let x = 0; x < SIZE.width; ++x) {
      const at = (y * SIZE.width + x) * 4;
      if (bytes[at] !== x || bytes[at + 1] !== y || bytes[at + 2] !== ((info.frame - 1) & 255)) return false;
    }
  return true;
}

async function within(what, promise) {
  let timer;
  const limit = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

class Bench {
  constructor(program, variables) {
    this.program = program;
    this.variables = { ...variables, XDG_RUNTIME_DIR: folder };
    this.socket = path.join(folder, 'seamscope', 'gpu-test.sock');
  }
  async startEngine() {
    this.client = new EngineClient({ name: 'test', launch: localEngine(engineFile, { ...process.env, ...this.variables }) });
    await this.client.request('publishers/configure', { enabled: true, name: 'gpu-test' });
  }
  startProgram() {
    const args = ['--size', `${SIZE.width}x${SIZE.height}`, '--seconds', '600', '--rate', '2000'];
    const env = { ...process.env, XDG_RUNTIME_DIR: folder, SEAMSCOPE_SOCKET: this.socket };
    this.child = spawn(path.resolve('native/examples', this.program), args, { env, stdio: 'inherit' });
  }
  programFds() {
    return readdirSync(`/proc/${this.child.pid}/fd`).length;
  }
  /** Opens a view as soon as the program publishes. */
  async open() {
    const id = `pub:${this.program}`;
    for (;;) {
      const source = (await this.client.request('sources/list', {})).find(
        (one) => one.id === id && one.state === 'live' && one.outputs.some(({ name }) => name === 'color'),
      );
      if (source) return (await this.client.request('view/open', { source: id, view })).viewId;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  /** Looks at pictures until there were `frames`. */
  async watch(viewId, frames, onPicture = () => {}) {
    const seen = { pictures: 0, wrong: 0, backwards: 0, last: 0 };
    await new Promise((resolve) => {
      const take = (picture) => {
        if (picture.info.viewId !== viewId) return;
        seen.pictures++;
        if (!isRight(picture)) seen.wrong++;
        if (picture.info.frame < seen.last) seen.backwards++;
        seen.last = picture.info.frame;
        onPicture(seen.pictures);
        if (seen.pictures < frames) return this.client.grant(viewId, 1);
        this.client.off('picture', take);
        resolve();
      };
      this.client.on('picture', take);
      this.client.grant(viewId, 2);
    });
    return seen;
  }
  async path() {
    const source = (await this.client.request('sources/list', {})).find(({ id }) => id === `pub:${this.program}`);
    return source?.outputs.find(({ name }) => name === 'color')?.path ?? '';
  }
  async stop() {
    this.child?.kill('SIGKILL');
    await this.client?.dispose();
  }
}

async function run(context, program, variables, expectedPath) {
  const bench = new Bench(program, variables);
  try {
    await bench.startEngine();
    bench.startProgram();
    let viewId = await within('the first connection', bench.open());
    await within('the first frames', bench.watch(viewId, 500));
    const before = { engine: (await bench.client.request('stats', {})).openFds, program: bench.programFds() };
    const seen = await within(`${FRAMES} frames`, bench.watch(viewId, FRAMES));
    const now = { engine: (await bench.client.request('stats', {})).openFds, program: bench.programFds() };
    context.diagnostic(`${JSON.stringify(seen)}, descriptors ${JSON.stringify(now)}, ${await bench.path()}`);
    assert.deepEqual([seen.wrong, seen.backwards], [0, 0]);
    assert.deepEqual(now, before);
    assert.match(await bench.path(), expectedPath);

    bench.child.kill('SIGKILL');
    bench.startProgram();
    const again = await within('frames of the program started again', bench.watch(viewId, 200));
    assert.equal(again.wrong, 0);

    process.kill(bench.client.pid, 'SIGKILL');
    await bench.client.dispose();
    await bench.startEngine();
    viewId = await within('the program finding the new engine', bench.open());
    const after = await within('frames in the new engine', bench.watch(viewId, 200));
    assert.deepEqual([after.wrong, after.backwards], [0, 0]);
  } finally {
    await bench.stop();
  }
}

for (const program of ['cuda', 'vulkan', 'host'])
  for (const [title, variables] of [
    ['GPU memory', {}],
    ['host memory', HIDDEN],
  ]) {
    if (program === 'host' && title === 'GPU memory') continue;
    test(`${FRAMES} frames of ${program}, ${title}`, { timeout: 3 * LIMIT_MS }, async (context) => {
      if (!existsSync(path.resolve('native/examples', program))) return context.skip('the example is not in this bundle');
      if (program === 'cuda' && !devices().cuda.available) return context.skip('there is no CUDA driver here');
      await run(context, program, variables, title === 'GPU memory' ? /^memory of / : /^host memory/);
    });
  }
