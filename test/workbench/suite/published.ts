import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'mocha';
import type { PreviewPanel } from '../../../extension/src/preview/panel';
import { seamscope } from './support/extension';
import { canvasTexel, closePreviews, isCurrent, openPreview, pausePreview, shows, texelValue } from './support/preview';
import { ANOMALIES, chooseOutput, idAt, PROGRAM, type Program, SIZE, startProgram } from './support/publisher-program';
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
    const output = (name: string) => chooseOutput(preview, name);
    const pause = () => pausePreview(preview);
    const valueAt = (x: number, y: number) => texelValue(preview, x, y);

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
      await until('all outputs', async () => (await preview.inspect(NOTHING)).outputs.length === 5);
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

    it('are red and said to be NaN where they are nothing else', async () => {
      const { info } = await output('void');
      assert.deepEqual([info.stats.nan, info.stats.inf], [SIZE.width * SIZE.height, 0]);
      assert.deepEqual(await valueAt(5, 6), ['NaN']);
      await until('red', async () => close(await canvasTexel(preview, 80, 45), [255, 0, 0]), 10_000);
      await until('their description', async () => (await preview.inspect(NOTHING)).description.includes('14,400 NaN values'));
      await output('color');
      assert.deepEqual(await valueAt(90, 70), ['90', '70', '128', '255']);
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

    it('give each identifier a colour of its own that stays', async () => {
      await output('ids');
      const at = (x: number, y: number) => canvasTexel(preview, x, y);
      const { info } = await pause();
      const [first, same_, other] = [await at(20, 20), await at(28, 28), await at(36, 20)];
      assert.deepEqual(same_, first);
      assert.ok(!close(other, first), `${other} like ${first}`);
      await preview.perform('pause');
      await shows(preview, 'a later frame', (panel) => panel.info.frame > info.frame + 2);
      await pause();
      assert.deepEqual(await at(20, 20), first);
    });

    it('are worked by controls that Tab reaches, each with a name', async () => {
      await output('depth');
      await preview.perform('pin');
      await shows(preview, 'metrics', (panel) => panel.info.metrics !== undefined);
      await preview.perform('compare', 'swipe');
      await pause();
      const { focusable, description, announced } = await until('the swipe', async () => {
        const panel = await preview.inspect(NOTHING);
        return panel.focusable.includes('Line between reference and live frame') && panel;
      });
      assert.deepEqual(
        focusable.filter((name) => name === ''),
        [],
      );
      // From the tool bar over the picture to the inspector and the kept frames.
      const wanted = [
        'Source and output',
        'Resume',
        'Fit',
        'Zoom In',
        'More Actions',
        'Picture',
        'Line between reference and live frame',
        'Lower end of the range',
        'Unpin',
        'Kept frames',
      ];
      assert.deepEqual(
        focusable.filter((name) => wanted.includes(name)).filter((name, at, all) => all.indexOf(name) === at),
        wanted,
      );
      assert.match(description, /^depth, frame \d+, 160 by 90, paused, no NaN or infinite values$/);
      assert.match(announced, /depth, frame \d+/);
      await preview.perform('unpin');
    });

    it('can be stepped back through', async () => {
      await output('color');
      const { info } = await pause();
      const newest = (await valueAt(0, 0))[0];
      const api = await seamscope();
      const { frames } = await api.engine.request('view/history', { viewId: preview.viewId! });
      // The frame that is shown may not be kept yet.
      const earlier = frames.findLast((frame) => frame < info.frame);
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
      // Texel (0, 0) counts the frames in its red: the difference is as large as that of the numbers.
      await pause();
      const { max } = (await preview.inspect(NOTHING)).info!.stats;
      await preview.perform('range', `0 ${2 * max}`);
      await until('half of white', async () => close(await canvasTexel(preview, 0, 0), [128, 0, 0]), 10_000);
      await preview.perform('exposure', 1);
      await until('white by the gain', async () => close(await canvasTexel(preview, 0, 0), [255, 0, 0]), 10_000);
      await preview.perform('exposure', 0);
      await preview.perform('range', 'auto');
      await preview.perform('channels', 1);
      await preview.perform('falseColor', 'diverging');
      // The counter goes round: the frame may have less than the reference.
      await until('red or blue', async () => {
        const { stats } = (await preview.inspect(NOTHING)).info!;
        return close(await canvasTexel(preview, 0, 0), stats.max > 0 ? [255, 77, 46] : [41, 120, 255]);
      });
      assert.ok(close(await canvasTexel(preview, 100, 50), [0, 0, 0]));
      await preview.perform('falseColor', 'none');
      await preview.perform('channels', 15);
      await preview.perform('compare', 'swipe');
      await preview.perform('split', 1);
      await until('the reference', async () => close(await canvasTexel(preview, 100, 50), [100, 50, 128]), 10_000);
      await preview.perform('unpin');
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
