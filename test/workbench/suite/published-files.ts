import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { Command } from '../../../extension/src/contributions/ids';
import type { PreviewPanel } from '../../../extension/src/preview/panel';
import { demoFile, seamscope } from './support/extension';
import { closePreviews, openPreview, pausePreview, shows } from './support/preview';
import { chooseOutput, PROGRAM, type Program, SIZE, startProgram } from './support/publisher-program';
import { until } from './support/until';

/** The engine reads as many texels of a side at once. */
const BLOCK = 64;

/** Every value of the frame that a view shows, as numbers or as words. */
async function allValues(preview: PreviewPanel): Promise<(number | string)[]> {
  const api = await seamscope();
  const values: (number | string)[] = [];
  for (let y = 0; y < SIZE.height; y += BLOCK) {
    for (let x = 0; x < SIZE.width; x += BLOCK) {
      const rect = { x, y, width: Math.min(BLOCK, SIZE.width - x), height: Math.min(BLOCK, SIZE.height - y) };
      values.push(...(await api.engine.request('view/pixels', { viewId: preview.viewId!, ...rect })).values);
    }
  }
  return values;
}

/** What a program publishes, out of the panel into files and back. */
export function publishedFilesSuite(): void {
  describe('files of published frames', () => {
    let preview: PreviewPanel;
    let program: Program;
    let folder: string;
    const files = () => readdirSync(folder);

    before(async () => {
      preview = await openPreview();
      const { socket } = await seamscope();
      assert.ok(socket, 'programs cannot publish');
      program = startProgram(socket);
      await shows(preview, PROGRAM, ({ source }) => source === PROGRAM);
    });
    after(async () => {
      await program.stop();
      await closePreviews();
    });
    beforeEach(() => {
      folder = mkdtempSync(path.join(os.tmpdir(), 'seamscope-files-'));
    });
    afterEach(async () => {
      if ((await preview.perform('fit')).paused) await preview.perform('pause');
      rmSync(folder, { recursive: true, force: true });
    });

    for (const [output, format] of [
      ['color', 'png'],
      ['color', 'npy'],
      ['hdr', 'npy'],
      ['hdr', 'exr'],
      ['depth', 'exr'],
      ['ids', 'npy'],
      ['ids', 'exr'],
    ] as const) {
      it(`hold every value when they are read back: ${output} as ${format}`, async function () {
        await chooseOutput(preview, output);
        await pausePreview(preview);
        const api = await seamscope();
        const file = path.join(folder, `${output}.${format}`);
        try {
          await api.engine.request('view/save', { viewId: preview.viewId!, file });
          await vscode.commands.executeCommand(Command.WatchFiles, vscode.Uri.file(file));
          const other = (await seamscope()).previews.find((each) => each !== preview)!;
          await shows(
            other,
            'the file',
            ({ info, source }) => source !== PROGRAM && info.frameWidth === SIZE.width && info.frameHeight === SIZE.height,
          );
          const [saved, read] = [await allValues(preview), await allValues(other)];
          other.panel.dispose();
          assert.ok(saved.length >= SIZE.width * SIZE.height, `${saved.length} values`);
          assert.deepEqual(read, saved);
        } catch (error) {
          const { message } = error as Error;
          if (!message.includes('no EXR support')) throw error;
          console.log(`      skipped: ${message}`);
          this.skip();
        }
      });
    }

    it('are recorded one file a frame', async () => {
      await chooseOutput(preview, 'color');
      const api = await seamscope();
      await api.engine.request('view/record', { viewId: preview.viewId!, folder, format: 'png', frames: 5 });
      await until('five files', () => files().filter((name) => name.endsWith('.png')).length === 5);
      await shows(preview, 'that it has ended', ({ info }) => info.recording?.running !== true);
      for (const name of files()) assert.match(name, /^color\.\d+\.png$/);
    });

    it('go on being recorded while the panel is hidden', async () => {
      await chooseOutput(preview, 'color');
      const api = await seamscope();
      await api.engine.request('view/record', { viewId: preview.viewId!, folder, format: 'png', frames: 1000 });
      await shows(preview, 'that it records', ({ info }) => info.recording?.running === true);
      await vscode.window.showTextDocument(demoFile('README.md'), { viewColumn: preview.panel.viewColumn! });
      await until('a hidden panel', () => !preview.panel.visible);
      const before = files().length;
      await until('twenty more files', () => files().length >= before + 20);
      preview.reveal();
      const { info } = await shows(preview, 'that it still records', (panel) => panel.info.recording?.running === true && panel.info.width > 100);
      assert.ok(info.recording!.written >= before + 20);
      const { written } = await api.engine.request('view/recordStop', { viewId: preview.viewId! });
      assert.ok(written >= before + 20);
      await vscode.commands.executeCommand('workbench.action.closeOtherEditors');
    });
  });
}
