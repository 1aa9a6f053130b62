import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { Command } from '../../../extension/src/contributions/ids';
import type { PreviewPanel } from '../../../extension/src/preview/panel';
import { demoFile, seamscope } from './support/extension';
import { canvasPixel, closePreviews, isCurrent, openPreview, shows } from './support/preview';
import { sleep, until } from './support/until';

export function previewSuite(): void {
  describe('preview', () => {
    let preview: PreviewPanel;
    const pause = async () => {
      await preview.perform('pause');
      return shows(preview, 'a paused picture without loss', (panel) => panel.paused && panel.info.lossless && isCurrent(panel));
    };

    before(async () => {
      preview = await openPreview();
    });
    after(closePreviews);

    beforeEach(async () => {
      await preview.perform('fit');
    });
    afterEach(async () => {
      if ((await preview.perform('fit')).paused) await preview.perform('pause');
      await preview.perform('output', 'color');
    });

    it('moves', async () => {
      const first = await shows(preview, 'a picture', () => true);
      await shows(preview, 'a later frame', ({ info }) => info.frame > first.info.frame + 5);
      const begun = Date.now();
      const last = await preview.inspect({ x: 0, y: 0, width: 0, height: 0 });
      await sleep(2000);
      const now = await preview.inspect({ x: 0, y: 0, width: 0, height: 0 });
      const rate = ((now.drawn - last.drawn) * 1000) / (Date.now() - begun);
      const stages = Object.entries(now.info?.times ?? {}).map(([stage, ms]) => `${stage} ${ms.toFixed(1)} ms`);
      console.log(
        `      ${rate.toFixed(1)} pictures a second at ${now.info?.width}x${now.info?.height} of frames of ${now.info?.frameWidth}x${now.info?.frameHeight}, ${now.device}; ${stages.join(', ')}`,
      );
    });

    it('shows exactly the pixels of the frame', async () => {
      await preview.perform('oneToOne');
      const panel = await pause();
      assert.equal(panel.scale, 1);
      const { left, top, rect } = panel.placement!;
      for (const [across, down] of [
        [0.5, 0.5],
        [0.1, 0.2],
        [0.9, 0.3],
        [0.3, 0.8],
        [0.7, 0.7],
      ] as const) {
        const [dx, dy] = [Math.floor(rect.width * across), Math.floor(rect.height * down)];
        const texel = { x: Math.round(rect.x) + dx, y: Math.round(rect.y) + dy };
        const api = await seamscope();
        const truth = await api.engine.request('view/pixel', { viewId: preview.viewId!, ...texel });
        assert.equal(truth.frame, panel.info.frame);
        assert.deepEqual((await canvasPixel(preview, left + dx, top + dy)).slice(0, 3), truth.values.slice(0, 3), `texel ${texel.x}, ${texel.y}`);
      }
    });

    it('holds its frame while it is paused', async () => {
      const { info } = await pause();
      await preview.perform('zoomIn');
      const zoomed = await shows(preview, 'the zoomed picture', (panel) => isCurrent(panel) && panel.info.sequence > info.sequence);
      assert.equal(zoomed.info.frame, info.frame);
      await preview.perform('pause');
      await shows(preview, 'a later frame', (panel) => panel.info.frame > info.frame);
    });

    it('zooms in around the middle and fits again', async () => {
      const fitting = await shows(preview, 'the whole frame', isCurrent);
      await preview.perform('zoomIn');
      const zoomed = await shows(preview, 'a part of the frame', (panel) => panel.scale > fitting.scale && isCurrent(panel));
      assert.ok(zoomed.placement!.rect.width < fitting.placement!.rect.width);
      const back = await preview.perform('fit');
      assert.equal(back.scale, fitting.scale);
    });

    it('switches between all outputs', async () => {
      const { outputs } = await shows(preview, 'a source with outputs', (panel) => panel.outputs.length > 1);
      for (const output of outputs) {
        await preview.perform('output', output);
        const { info, description } = await shows(preview, output, (panel) => panel.info.output === output);
        assert.ok(info.stats.max > info.stats.min, `${output} is empty`);
        await until(`a description of ${output}`, async () => (await shows(preview, output, () => true)).description.startsWith(output), 10_000);
        assert.ok(description);
      }
    });

    it('brightens with exposure', async () => {
      await pause();
      const brightness = async () => {
        const { canvas } = await preview.inspect({ x: 0, y: 0, width: 0, height: 0 });
        const { pixels } = await preview.inspect({ x: 0, y: Math.floor(canvas.height / 2), width: canvas.width, height: 1 });
        return pixels.reduce((sum, value) => sum + value, 0);
      };
      const dark = await brightness();
      await preview.perform('exposure', 2);
      await until('a brighter picture', async () => (await brightness()) > dark * 1.1);
      await preview.perform('exposure', 0);
    });

    it('gets no pictures while it is hidden and goes on when it is shown', async () => {
      const api = await seamscope();
      const { info } = await shows(preview, 'a picture', () => true);
      let received = 0;
      const counter = api.engine.onPicture(() => received++);
      await vscode.window.showTextDocument(demoFile('README.md'), { viewColumn: preview.panel.viewColumn! });
      await until('a hidden panel', () => !preview.panel.visible);
      await until('no more pictures', async () => {
        const before = received;
        await sleep(1000);
        return received === before;
      });
      counter.dispose();
      preview.reveal();
      await shows(preview, 'a later frame', (panel) => panel.info.frame > info.frame);
      await vscode.commands.executeCommand('workbench.action.closeOtherEditors');
    });

    it('remembers how it was looked at', async () => {
      await preview.perform('output', 'depth');
      await preview.perform('zoomTo', 3);
      const before = await shows(preview, 'a part of depth', (panel) => panel.info.output === 'depth' && isCurrent(panel));
      await vscode.window.showTextDocument(demoFile('README.md'), { viewColumn: preview.panel.viewColumn! });
      await until('a hidden panel', () => !preview.panel.visible);
      preview.reveal();
      const after = await shows(preview, 'the same part', (panel) => panel.info.output === 'depth' && isCurrent(panel));
      assert.deepEqual([after.scale, after.placement], [before.scale, before.placement]);
      await vscode.commands.executeCommand('workbench.action.closeOtherEditors');
    });

    it('obeys its commands', async () => {
      preview.reveal();
      await until('the focus', () => preview.panel.active);
      await vscode.commands.executeCommand(Command.PausePreview);
      await shows(preview, 'a paused picture', ({ paused, info }) => paused && info.lossless);
      await preview.perform('probe', '100 50');
      const value = await until('a value', async () => {
        const { probe } = await preview.inspect({ x: 0, y: 0, width: 0, height: 0 });
        return probe.startsWith('100, 50: ') && probe.slice('100, 50: '.length);
      });
      await vscode.commands.executeCommand(Command.CopyTexel);
      await until('the value in the clipboard', async () => (await vscode.env.clipboard.readText()) === value.split(/\s+/).join(', '));
    });

    it('shows two outputs in two panels', async () => {
      const other = await openPreview();
      await other.perform('output', 'ids');
      await shows(other, 'ids', ({ info }) => info.output === 'ids');
      await shows(preview, 'colour', ({ info }) => info.output === 'color');
      other.panel.dispose();
    });

    it('leaves no view behind', async () => {
      const api = await seamscope();
      const other = await openPreview();
      assert.equal((await api.engine.request('stats', {})).views, 2);
      other.panel.dispose();
      await until('one view less', async () => (await api.engine.request('stats', {})).views === 1);
    });
  });
}
