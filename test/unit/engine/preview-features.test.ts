/** Comparison, kept frames, exact values, recording and watched files through a real engine with the real addon. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { EngineClient, localEngine } from '../../../helper/engine/client';
import type { ViewParams } from '../../../helper/protocol/frames';
import type { Picture } from '../../../helper/protocol/picture-assembler';
import { bundleEngine, realAddon, VIEW } from './harness';

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const addon = realAddon();
const bundle = bundleEngine();
if (!addon) console.log('skipped: the addon has not been built (npm run build)');

const folder = mkdtempSync(path.join(tmpdir(), 'seamscope-features-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

class Panel {
  readonly client = new EngineClient({
    name: 'test',
    launch: localEngine(path.join(bundle, 'engine.js'), { ...process.env, SEAMSCOPE_ADDON: addon! }),
  });
  readonly #pictures: Picture[] = [];
  viewId = 0;

  constructor() {
    this.client.on('picture', (picture) => this.#pictures.push(picture));
  }

  async open(source: string, view: Partial<ViewParams> = {}): Promise<void> {
    const size = { width: 64, height: 32 };
    const opened = await this.client.request('view/open', { source, view: { ...VIEW, ...view }, device: 'host', size });
    this.viewId = opened.viewId;
  }

  async next(): Promise<Picture> {
    const before = this.#pictures.length;
    this.client.grant(this.viewId, 1);
    await expect.poll(() => this.#pictures.length, { timeout: 20_000 }).toBeGreaterThan(before);
    return this.#pictures.at(-1)!;
  }

  async change(view: Partial<ViewParams>, paused?: boolean): Promise<Picture> {
    await this.client.request('view/update', { viewId: this.viewId, view, ...(paused === undefined ? {} : { paused }) });
    return this.next();
  }
}

/** A float image of one value, as NumPy saves it. */
function npy(value: number, side = 4): Buffer {
  const head = `{'descr': '<f4', 'fortran_order': False, 'shape': (${side}, ${side}), }`.padEnd(117, ' ');
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0]);
  return Buffer.concat([start, Buffer.from(`${head}\n`), Buffer.from(new Float32Array(side * side).fill(value).buffer)]);
}

describe.skipIf(!addon)('the preview of the real addon', () => {
  it('describes the frame, counts its values and compares it with a reference', async () => {
    const panel = new Panel();
    await panel.open('scene', { wantHistogram: true });
    const { info } = await panel.next();
    expect(info.format).toEqual({ kind: 'color', dtype: 'u8', channels: 4, colorSpace: 'srgb', batches: 1 });
    expect(info.generation).toBe(1);
    expect(info.histogram?.counts.reduce((sum, count) => sum + count, 0)).toBe(64 * 32 * 3);
    expect(info.stats.mean).toBeGreaterThan(0);
    const { viewId } = panel;
    const pinned = await panel.client.request('view/pin', { viewId });
    expect(pinned).toMatchObject({ frame: info.frame, output: 'color', bytes: 64 * 32 * 4 });
    const compare = { mode: 'difference', reference: pinned.reference, split: 0.5 } as const;
    const same = await panel.change({ compare, wantMetrics: true, wantHistogram: false }, true);
    expect(same.info.metrics).toMatchObject({ mae: 0, psnr: null, reference: pinned.reference });
    expect(same.info.metrics?.ssim).toBeCloseTo(1);
    expect(same.info.stats).toMatchObject({ min: 0, max: 0 });
    expect(same.info.histogram).toBeUndefined();
    const rest = await panel.next();
    expect([rest.info.lossless, rest.info.metrics?.flip]).toEqual([true, 0]);
    const signed = { compare: { ...compare, signed: true }, falseColor: 'diverging' } as const;
    expect((await panel.change({ ...signed, encoding: 'rgba' })).bytes.slice(0, 4)).toEqual(Uint8Array.of(0, 0, 0, 255));
    await panel.client.request('view/unpin', { viewId, reference: pinned.reference });
    expect((await panel.change({ overlayClip: true })).info.problem).toContain('no longer kept');
    await panel.client.dispose();
  });

  it('keeps frames, steps, and gives exact values of a rectangle', async () => {
    const panel = new Panel();
    await panel.open('scene', { maxRate: 50 });
    for (let i = 0; i < 3; i++) await panel.next();
    const { viewId } = panel;
    const { frames } = await panel.client.request('view/history', { viewId });
    expect(frames).toEqual([0, 1, 2]);
    expect((await panel.change({ history: 1 }, true)).info.frame).toBe(1);
    const block = await panel.client.request('view/pixels', { viewId, x: 62, y: 30, width: 8, height: 8 });
    expect(block).toMatchObject({ x: 62, y: 30, width: 2, height: 2, frame: 1, channels: 4 });
    const pixel = await panel.client.request('view/pixel', { viewId, x: 63, y: 31 });
    expect(block.values.slice(-4)).toEqual(pixel.values);
    expect((await panel.change({ history: null })).info.frame).toBe(2);
    expect((await panel.next()).info.lossless).toBe(true);
    await panel.client.request('view/step', { viewId });
    expect((await panel.next()).info.frame).toBe(3);
    await panel.client.request('history/budget', { bytes: 0 });
    expect((await panel.client.request('view/history', { viewId })).frames).toEqual([]);
    expect((await panel.client.request('stats', {})).historyBytes).toBe(0);
    await expect(panel.client.request('view/pixels', { viewId, x: 0, y: 0, width: 65, height: 1 })).rejects.toThrow('width must be');
    await panel.client.dispose();
  });

  it('records frames to a folder', async () => {
    const panel = new Panel();
    await panel.open('scene', { maxRate: 50 });
    await panel.next();
    const { viewId } = panel;
    const target = path.join(folder, 'recording');
    expect(await panel.client.request('view/record', { viewId, folder: target, format: 'png', frames: 2 })).toMatchObject({ running: true });
    for (let i = 0; i < 3; i++) await panel.next();
    expect(await panel.client.request('view/recordStop', { viewId })).toMatchObject({ written: 2, dropped: 0, running: false });
    expect(readdirSync(target).sort()).toEqual(['color.000001.png', 'color.000002.png']);
    expect(readFileSync(path.join(target, 'color.000001.png')).subarray(1, 4).toString()).toBe('PNG');
    await panel.client.dispose();
  });

  it('leaves whole files where a view is closed, or its engine killed, while it records', async () => {
    const panel = new Panel();
    for (const end of ['close', 'kill'] as const) {
      await panel.open('scene', { maxRate: 50 });
      await panel.next();
      const target = path.join(folder, `cut short by ${end}`);
      await panel.client.request('view/record', { viewId: panel.viewId, folder: target, format: 'npy', frames: 1000 });
      for (let i = 0; i < 4; i++) await panel.next();
      if (end === 'close') await panel.client.request('view/close', { viewId: panel.viewId });
      else process.kill(panel.client.pid!, 'SIGKILL');
      const files = readdirSync(target).filter((name) => !name.endsWith('.part'));
      expect(files.length).toBeGreaterThan(0);
      for (const name of files) expect(statSync(path.join(target, name)).size, name).toBe(128 + 64 * 32 * 4);
      if (end === 'close') expect(readdirSync(target)).toEqual(files);
    }
    await panel.client.dispose();
  });

  it('ends a recording whose files cannot be written, and says so', async () => {
    const panel = new Panel();
    await panel.open('scene', { maxRate: 50 });
    await panel.next();
    const target = path.join(folder, 'full');
    await panel.client.request('view/record', { viewId: panel.viewId, folder: target, format: 'npy', frames: 1000 });
    // A folder in the place of the file: its write fails as one on a full disk does, whoever runs this.
    for (let number = 1; number < 40; number++)
      mkdirSync(path.join(target, `color.${String(number).padStart(6, '0')}.npy`, 'in the way'), { recursive: true });
    await expect.poll(async () => (await panel.next()).info.recording?.running, { timeout: 20_000 }).toBe(false);
    const { info } = await panel.next();
    expect(info.recording?.problem?.message).toContain('could not be written');
    await panel.client.dispose();
  });

  it('watches files: the newest one, with the layers it has', async () => {
    writeFileSync(path.join(folder, 'a.npy'), npy(0.25));
    const panel = new Panel();
    const source = `files:${path.join(folder, '*.npy')}`;
    await panel.open(source, { output: '*', range: [0, 1] });
    const listed = (await panel.client.request('sources/list', {})).find(({ id }) => id === source);
    expect(listed).toMatchObject({ kind: 'files', label: '*.npy', outputs: [{ name: 'data', width: 4, height: 4, dtype: 'f32' }] });
    expect((await panel.next()).info).toMatchObject({ output: 'data', stats: { min: 0.25, max: 0.25 } });
    writeFileSync(path.join(folder, 'b.npy'), npy(0.5, 6));
    await expect.poll(async () => (await panel.next()).info.stats.max, { timeout: 20_000 }).toBe(0.5);
    const { info } = await panel.change({ exposure: 0 });
    expect(info).toMatchObject({ frameWidth: 6, generation: 2 });
    await expect(panel.client.request('view/open', { source: 'files:relative', view: VIEW })).rejects.toThrow('absolute');
    await expect(panel.client.request('view/open', { source: `files:${folder}/none*.npy`, view: VIEW })).rejects.toThrow('No file matches');
    await panel.client.dispose();
  });
});
