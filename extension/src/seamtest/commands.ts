import * as vscode from 'vscode';
import type { SeamFormat } from '../../../helper/protocol/seam-panel';
import type { SeamProgress } from '../../../helper/protocol/seamtest';
import { Command, Panel } from '../contributions/ids';
import type { DeviceNode } from '../devices/node';
import type { EngineService } from '../engine/service';
import { askForRequest } from './ask';
import { exportReport } from './export';
import type { SeamPanels } from './panel';
import type { SeamOutcome, SeamRequest, SeamTests } from './seam-tests';

interface Parts {
  tests: SeamTests;
  panels: SeamPanels;
  engine: EngineService;
  /** The page that explains the report's words. */
  page: vscode.Uri;
}

export function registerSeamTest({ tests, panels, engine, page }: Parts): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(Command.RunSeamTest, (target?: SeamRequest | DeviceNode) => runCommand({ tests, panels, engine }, target)),
    vscode.commands.registerCommand(Command.ShowSeamReport, () => panels.show()),
    vscode.commands.registerCommand(Command.ExportSeamReport, (format?: SeamFormat, file?: vscode.Uri) => exportCommand(tests, format, file)),
    vscode.commands.registerCommand(Command.OpenSeamWords, () => vscode.commands.executeCommand('markdown.showPreview', page)),
    vscode.window.registerWebviewPanelSerializer(Panel.SeamReport, panels),
  );
}

/** `target` is a row of the Devices view, or a whole request that leaves nothing to ask. */
async function runCommand(parts: Omit<Parts, 'page'>, target?: SeamRequest | DeviceNode): Promise<SeamOutcome | undefined> {
  const request = target && 'settings' in target ? target : await ask(parts, target);
  return request && run(parts, request);
}

async function ask({ tests, engine }: Omit<Parts, 'page'>, node?: DeviceNode): Promise<SeamRequest | undefined> {
  if (tests.isRunning) {
    const choice = await vscode.window.showInformationMessage('A seam test is running.', 'Cancel It');
    if (choice) tests.cancel();
    return undefined;
  }
  try {
    return await askForRequest(await engine.request('devices/snapshot', {}), node?.uuid);
  } catch (error) {
    await tellFailure(error as { message: string; nextStep?: string });
    return undefined;
  }
}

async function run({ tests, panels }: Omit<Parts, 'page'>, request: SeamRequest): Promise<SeamOutcome> {
  const outcome = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Seam test', cancellable: true },
    async (progress, token) => {
      token.onCancellationRequested(() => tests.cancel());
      let shown = 0;
      const listener = tests.onDidChange(() => {
        if (!tests.progress) return;
        const percent = percentOf(tests.progress);
        progress.report({ increment: percent - shown, message: `${percent} %: ${tests.progress.text}` });
        shown = percent;
      });
      return tests.run(request).finally(() => listener.dispose());
    },
  );
  if ('cancelled' in outcome) vscode.window.setStatusBarMessage('$(circle-slash) The seam test was cancelled; nothing of it is left', 5000);
  // Without a report the panel says why, and what can be done.
  else if ('report' in outcome || tests.failure) panels.show();
  // Another test runs. Told, not awaited: a message stays until the user answers it.
  else if ('failure' in outcome) void tellFailure(outcome.failure);
  return outcome;
}

export function percentOf({ done, total }: SeamProgress): number {
  return total > 0 ? Math.floor((100 * done) / total) : 0;
}

async function tellFailure({ message, nextStep = '' }: { message: string; nextStep?: string }): Promise<void> {
  const choice = await vscode.window.showErrorMessage(`The seam test did not run. ${message} ${nextStep}`, 'Run Doctor', 'Show Log');
  if (choice === 'Run Doctor') await vscode.commands.executeCommand(Command.RunDoctor);
  if (choice === 'Show Log') await vscode.commands.executeCommand(Command.ShowLog);
}

async function exportCommand(tests: SeamTests, format?: SeamFormat, file?: vscode.Uri): Promise<{ file: string } | null> {
  const report = await tests.lastReport();
  if (!report) {
    const choice = await vscode.window.showInformationMessage('There is no report of a seam test yet.', 'Run Seam Test');
    if (choice) await vscode.commands.executeCommand(Command.RunSeamTest);
    return null;
  }
  const formats: (vscode.QuickPickItem & { format: SeamFormat })[] = [
    { label: 'Markdown', format: 'markdown' },
    { label: 'JSON', format: 'json' },
  ];
  const wanted = format ?? (await vscode.window.showQuickPick(formats, { title: 'Export Seam Test Report' }))?.format;
  return wanted ? exportReport(report, wanted, file) : null;
}
