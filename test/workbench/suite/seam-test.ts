import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { SeamscopeApi } from '../../../extension/src/api';
import { Command } from '../../../extension/src/contributions/ids';
import type { SeamOutcome, SeamRequest } from '../../../extension/src/seamtest/seam-tests';
import type { SeamInspection } from '../../../helper/protocol/seam-panel';
import type { SeamReport } from '../../../helper/protocol/seamtest';
import { hasDoubles, useCudaDouble } from './support/doubles';
import { seamscope } from './support/extension';
import { childProcesses } from './support/processes';
import { until } from './support/until';

const SCRIPT = `${path.sep}seamtest.js`;
const size = { width: 64, height: 32 };
const small: SeamRequest = { settings: { quick: true, frames: 5, size, only: { processes: [1] } } };
const few: SeamRequest['settings']['only'] = { modes: ['fence'], directions: ['vulkan-to-partner'], processes: [1], resources: ['buffer'] };

const run = async (request: SeamRequest) => (await vscode.commands.executeCommand<SeamOutcome>(Command.RunSeamTest, request))!;

export function seamTestSuite(): void {
  describe('seam test', () => {
    let api: SeamscopeApi;
    let uuid: string;
    const folder = mkdtempSync(path.join(os.tmpdir(), 'seamscope-exports-'));

    before(async function () {
      api = await seamscope();
      await api.devices.refresh();
      const lavapipe = api.devices.snapshot?.vulkan.devices.find(({ type }) => type === 'cpu');
      if (!lavapipe) {
        console.log('      skipped: no CPU Vulkan driver is installed here');
        this.skip();
      }
      uuid = lavapipe.deviceUuid;
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    it('says why it cannot run without CUDA, and what to do', async function () {
      if (existsSync('/dev/nvidiactl')) {
        console.log('      skipped: this machine has an NVIDIA driver');
        this.skip();
      }
      const outcome = await run(small);
      assert.ok('noPartner' in outcome, JSON.stringify(outcome));
      assert.match(outcome.noPartner.message, /cannot be tested here: no CUDA device is llvmpipe.*libcuda/);
      assert.ok(outcome.noPartner.nextStep.length > 10, 'no next step');
      const shown = await panelShows(api, 'the reason', ({ failure }) => failure !== null);
      assert.equal(shown.failure, outcome.noPartner.message);
      for (const button of ['Run Doctor', 'Test with the Host Instead']) assert.ok(shown.buttons.includes(button), button);
    });

    describe('with the stand-in CUDA driver', () => {
      let restore: (() => Promise<void>) | undefined;
      let report: SeamReport;

      before(async function () {
        if (!hasDoubles) {
          console.log('      skipped: the stand-in drivers have not been built (npm test builds them)');
          this.skip();
        }
        restore = await useCudaDouble(uuid);
      });
      after(async () => {
        api.seamPanel?.panel.dispose();
        await restore?.();
        await vscode.commands.executeCommand('notifications.clearAll');
      });

      it('tells its progress and gives a report', async () => {
        const seen: number[] = [];
        const listener = api.seamTests.onDidChange(() => {
          const { progress } = api.seamTests;
          if (progress) seen.push(progress.done / progress.total);
        });
        const outcome = await run(small);
        listener.dispose();
        assert.ok('report' in outcome, JSON.stringify(outcome));
        report = outcome.report;
        assert.deepEqual([report.passed, report.device.partner, report.verdict.nextSteps], [true, 'cuda', []]);
        assert.ok(seen.length > 10, `only ${seen.length} steps were told`);
        assert.deepEqual(
          seen.toSorted((a, b) => a - b),
          seen,
        );
        assert.equal(seen.at(-1), 1);
        assert.deepEqual([api.seamTests.isRunning, childProcesses(SCRIPT)], [false, []]);
      });

      it('shows verdict, matrix, controls and teardown', async () => {
        const shown = await panelShows(api, 'the report', ({ headline }) => headline === report.verdict.headline);
        assert.equal(shown.passed, true);
        const measured = report.runs.filter((each) => 'usPerFrame' in each).length;
        assert.deepEqual(
          [shown.rows.Runs, shown.rows['Faults Made on Purpose'], shown.rows.Teardown, shown.rows.Checks, shown.points],
          [measured, 3, report.teardown.length, report.checks.length, report.model!.fitted.length],
        );
        assert.ok(shown.sections.includes('Words'));
      });

      it('filters its runs', async () => {
        const all = await api.seamPanel!.filter({ show: 'all' });
        assert.equal(all.rows.Runs, report.runs.length);
        const inverted = await api.seamPanel!.filter({ owner: 'inverted' });
        assert.equal(inverted.rows.Runs, report.runs.filter(({ ownership }) => ownership === 'inverted').length);
        const problems = await api.seamPanel!.filter({ owner: '', show: 'problems' });
        assert.equal(problems.rows.Runs, undefined);
      });

      it('exports Markdown and JSON with the same content', async () => {
        const file = (name: string) => vscode.Uri.file(path.join(folder, name));
        await vscode.commands.executeCommand(Command.ExportSeamReport, 'json', file('seam.json'));
        await vscode.commands.executeCommand(Command.ExportSeamReport, 'markdown', file('seam.md'));
        assert.deepEqual(JSON.parse(readFileSync(path.join(folder, 'seam.json'), 'utf8')), report);
        const markdown = readFileSync(path.join(folder, 'seam.md'), 'utf8');
        for (const words of [report.verdict.headline, ...report.checks.map(({ message }) => message)]) assert.ok(markdown.includes(words), words);
      });

      it('opens the last report again', async () => {
        api.seamPanel!.panel.dispose();
        await until('a closed report', () => api.seamPanel === undefined);
        await vscode.commands.executeCommand(Command.ShowSeamReport);
        await panelShows(api, 'the last report', ({ headline }) => headline === report.verdict.headline);
      });

      it('leaves no process when it is cancelled, and keeps the last report', async () => {
        const outcome = run({ settings: { frames: 1_000_000, size, only: few } });
        await until('a test process', () => childProcesses(SCRIPT).length > 0);
        await panelShows(api, 'what runs now', ({ progress }) => /^\d+ %: ./.test(progress));
        api.seamTests.cancel();
        assert.deepEqual(await outcome, { cancelled: true });
        await until('no test process', () => childProcesses(SCRIPT).length === 0);
        assert.equal((await api.seamTests.lastReport())?.takenAt, report.takenAt);
        assert.equal(api.seamTests.failure, undefined);
      });

      it('reports a process that was killed, with the next step', async () => {
        const outcome = run({ settings: { quick: true, frames: 1000, size, only: few } });
        const [pid] = await until('a test process', () => childProcesses(SCRIPT).length > 0 && childProcesses(SCRIPT));
        await until('a run', () => api.seamTests.progress?.text.startsWith('fence'));
        process.kill(pid!, 'SIGKILL');
        const ended = await outcome;
        assert.ok('report' in ended, JSON.stringify(ended));
        const { passed, verdict } = ended.report;
        assert.equal(passed, false);
        assert.match(verdict.headline, /^Failed: a run could not be made/);
        assert.match(verdict.sentences.join('\n'), /was ended by SIGKILL/);
        assert.ok(verdict.nextSteps.length > 0);
        const shown = await panelShows(api, 'the failure', ({ headline }) => headline === verdict.headline);
        assert.ok(shown.buttons.includes('Run Doctor'));
      });
    });
  });
}

/** Waits until the open report is as `test` wants it. */
function panelShows(api: SeamscopeApi, what: string, test: (shown: SeamInspection) => boolean): Promise<SeamInspection> {
  return until(`the report shows ${what}`, async () => {
    const shown = await api.seamPanel?.inspect();
    return shown && test(shown) && shown;
  });
}
