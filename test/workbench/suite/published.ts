import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { Command } from '../../../extension/src/contributions/ids';
import type { PreviewPanel } from '../../../extension/src/preview/panel';
import { seamscope } from './support/extension';
import { canvasTexel, closePreviews, isCurrent, openPreview, shows } from './support/preview';
import { ANOMALIES, idAt, PROGRAM, type Program, SIZE, startProgram } from './support/publisher-program';
import { until } from './support/until';

const NOTHING = { x: 0, y: 0, width: 0, height: 0 };

export function publishedSuite(): void {
  describe('published frames', () => {
    let preview: PreviewPanel;
    let program: Program;
    const start = async () => {
      const { socket } = await seamscope();
      assert.ok(socket, 'programs cannot publish');
      program = startProgram(socket);
    };
    const output = async (name: string) => {
      await preview.perform('output', name);
      return shows(preview, name, ({ info, source }) => source === PROGRAM && info.output === name);
    };
    const pause = async () => {
      await preview.perform('pause');
      return shows(preview, 'a paused picture without loss', (panel) => panel.paused && panel.info.lossless && isCurrent(panel));
    };
    const valueAt = async (x: number, y: number) => {
      await preview.perform('probe', `${x} ${y}`);
      return until(`the value of ${x}, ${y}`, async () => {
        const { probe } = await preview.inspect(NOTHING);
        return probe.startsWith(`${x}, ${y}: `) && probe.slice(`${x}, ${y}: `.length).split(/\s+/);
      });
    };

    before(async () => {
      preview = await openPreview();
      await start();
    });
    after(async () => {
      await program.stop();
      await closePreviews();
    });
    afterEach(async function () {
      if (this.currentTest?.state === 'failed') {
        console.log(`      the program said: ${program.output() || 'nothing'}`);
        console.log(`      the panel showed: ${JSON.stringify({ ...(await preview.inspect(NOTHING)), pixels: [] })}`);
        console.log(`      the sources were: ${JSON.stringify(await (await seamscope()).engine.request('sources/list', {}))}`);
      }
      if ((await preview.perform('fit')).paused) await preview.perform('pause');
    });

    it('appear by themselves in a panel for which nothing was chosen', async () => {
      const { outputs, info } = await shows(preview, PROGRAM, (panel) => panel.source === PROGRAM && panel.info.frameWidth === SIZE.width);
      assert.equal(info.frameHeight, SIZE.height);
      assert.ok(outputs.includes(info.output), outputs.join());
      await until('all outputs', async () => (await preview.inspect(NOTHING)).outputs.length === 4);
      await shows(preview, 'later frames', (panel) => panel.info.frame > info.frame + 5);
    });

    it('have their exact values under the crosshair', async () => {
      await output('color');
      assert.deepEqual(await valueAt(90, 70), ['90', '70', '128', '255']);
      await output('hdr');
      assert.deepEqual(await valueAt(50, 30), ['0.5', '0.3', '0.5']);
      assert.equal((await valueAt(...ANOMALIES.nan[0]))[0], 'NaN');
      assert.equal((await valueAt(...ANOMALIES.inf[0]))[0], 'Inf');
      await output('ids');
      assert.equal(Number((await valueAt(40, 80))[0]), idAt(40, 80));
    });

    it('show NaN red, infinity green and negative values blue, with their counts', async () => {
      const { info } = await output('hdr');
      assert.deepEqual([info.stats.nan, info.stats.inf, info.stats.negative], [3, 1, 2]);
      await until('their description', async () => (await preview.inspect(NOTHING)).description.includes('3 NaN values, 1 infinite value'));
      await pause();
      for (const [[x, y], color] of [
        [ANOMALIES.nan[2], [255, 0, 0]],
        [ANOMALIES.inf[0], [0, 255, 0]],
        [ANOMALIES.negative[0], [0, 0, 255]],
      ] as const) {
        await preview.perform('zoomTo', 16);
        await preview.perform('probe', `${x} ${y}`);
        await shows(preview, 'the texel', isCurrent);
        await until(`the mark of ${x}, ${y}`, async () => same(await canvasTexel(preview, x, y), color), 10_000);
      }
      await preview.perform('markNegative');
      const [x, y] = ANOMALIES.negative[0];
      await until('no mark', async () => !same(await canvasTexel(preview, x, y), [0, 0, 255]), 10_000);
      await preview.perform('markNegative');
    });

    it('keep the colours of depth from frame to frame', async () => {
      const { info } = await output('depth');
      await shows(preview, 'a held range', (panel) => panel.info.frame > info.frame + 3);
      const colors = async () => [await canvasTexel(preview, 0, 45), await canvasTexel(preview, 80, 45), await canvasTexel(preview, 159, 45)];
      const [near, middle, far] = (await colors()) as [number[], number[], number[]];
      // Turbo: dark violet, green, dark red.
      assert.ok(near[0]! < 100 && middle[1]! > 200 && far[0]! > 80 && far[2]! < 60, JSON.stringify([near, middle, far]));
      await preview.perform('range', '1 100');
      await until('nearer colours', async () => !same((await colors())[2]!, far), 10_000);
      await preview.perform('fitRange');
      await until('the colours of before', async () => close((await colors())[2]!, far), 10_000);
    });

    it('can be stepped back through', async () => {
      await output('color');
      const { info } = await pause();
      const newest = (await valueAt(0, 0))[0];
      const api = await seamscope();
      const { frames } = await api.engine.request('view/history', { viewId: preview.viewId! });
      const earlier = frames[frames.indexOf(info.frame) - 1];
      assert.ok(earlier, `nothing kept before ${info.frame}: ${frames}`);
      await preview.perform('history', earlier);
      await shows(preview, 'an earlier frame', (panel) => panel.info.frame === earlier);
      await until('its value', async () => (await valueAt(0, 0))[0] !== newest, 10_000);
      await preview.perform('pause');
      await shows(preview, 'a later frame', (panel) => panel.info.frame > info.frame);
    });

    it('are measured against a reference', async () => {
      await output('color');
      await preview.perform('pin');
      const { info } = await shows(preview, 'metrics', (panel) => panel.info.metrics !== undefined);
      assert.ok(info.metrics!.mae >= 0 && info.metrics!.ssim > 0.9, JSON.stringify(info.metrics));
      await preview.perform('compare', 'difference');
      await until('black where nothing changes', async () => close(await canvasTexel(preview, 100, 50), [0, 0, 0]), 10_000);
      await preview.perform('compare', 'swipe');
      await preview.perform('split', 1);
      await until('the reference', async () => close(await canvasTexel(preview, 100, 50), [100, 50, 128]), 10_000);
      await preview.perform('unpin');
    });

    it('are saved as they are', async () => {
      await output('hdr');
      const api = await seamscope();
      const file = path.join(os.tmpdir(), `seamscope-saved-${process.pid}.npy`);
      try {
        await api.engine.request('view/save', { viewId: preview.viewId!, file });
        const bytes = readFileSync(file);
        const header = bytes.subarray(10, 10 + bytes.readUInt16LE(8)).toString('latin1');
        assert.match(header, new RegExp(`'descr': '<f4'.*'shape': \\(${SIZE.height}, ${SIZE.width}, 3\\)`));
        const at = (x: number, y: number, channel: number) =>
          bytes.readFloatLE(10 + bytes.readUInt16LE(8) + 4 * (3 * (y * SIZE.width + x) + channel));
        assert.deepEqual(
          [at(120, 60, 0), at(120, 60, 1), at(120, 60, 2)].map((value) => Number(value.toFixed(6))),
          [1.2, 0.6, 0.5],
        );
        assert.ok(Number.isNaN(at(...ANOMALIES.nan[1], 0)));
      } finally {
        rmSync(file, { force: true });
      }
    });

    for (const format of ['npy', 'exr']) {
      it(`are the same when they are read back from a file: ${format}`, async function () {
        await output('hdr');
        const api = await seamscope();
        const folder = mkdtempSync(path.join(os.tmpdir(), 'seamscope-files-'));
        const file = path.join(folder, `hdr.${format}`);
        try {
          await api.engine.request('view/save', { viewId: preview.viewId!, file });
          await vscode.commands.executeCommand(Command.WatchFiles, vscode.Uri.file(file));
          const other = (await seamscope()).previews.find((each) => each !== preview)!;
          await shows(other, 'the file', ({ info }) => info.frameWidth === SIZE.width && info.frameHeight === SIZE.height);
          const reads = async (x: number, y: number, value: string) => {
            await other.perform('probe', `${x} ${y}`);
            await until(`${value} at ${x}, ${y}`, async () => (await other.inspect(NOTHING)).probe.startsWith(`${x}, ${y}: ${value}`));
          };
          await reads(120, 60, '1.2  0.6  0.5');
          await reads(...ANOMALIES.nan[1], 'NaN');
          other.panel.dispose();
        } catch (error) {
          const { message } = error as Error;
          if (!message.includes('no EXR support')) throw error;
          console.log(`      skipped: ${message}`);
          this.skip();
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      });
    }

    it('are recorded one file a frame', async () => {
      await output('color');
      const api = await seamscope();
      const folder = mkdtempSync(path.join(os.tmpdir(), 'seamscope-record-'));
      try {
        await api.engine.request('view/record', { viewId: preview.viewId!, folder, format: 'png', frames: 5 });
        await until('five files', () => readdirSync(folder).filter((name) => name.endsWith('.png')).length === 5);
        await shows(preview, 'that it has ended', ({ info }) => info.recording?.running !== true);
        for (const name of readdirSync(folder)) assert.match(name, /^color\.\d+\.png$/);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });

    it('stay when their program is killed, and go on when it runs again', async () => {
      await output('color');
      program.process.kill('SIGKILL');
      const { drawn } = await shows(preview, 'that it has ended', ({ banner }) => banner.includes('has ended'));
      await start();
      await shows(preview, 'new frames', (panel) => panel.banner === '' && panel.source === PROGRAM && panel.drawn > drawn + 5);
    });
  });
}

function same(color: number[], [red, green, blue]: readonly number[]): boolean {
  return color[0] === red && color[1] === green && color[2] === blue;
}

/** Moving pictures are JPEG. */
function close(color: number[], wanted: readonly number[]): boolean {
  return wanted.slice(0, 3).every((value, channel) => Math.abs(color[channel]! - value) <= 12);
}
