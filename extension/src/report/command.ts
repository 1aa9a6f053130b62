import * as os from 'node:os';
import * as vscode from 'vscode';
import { Command } from '../contributions/ids';
import type { DeviceWatcher } from '../devices/watcher';
import type { EngineService } from '../engine/service';
import type { Lint } from '../lint/lint';
import type { Log } from '../log';
import { changedSettings } from '../settings';
import { type ReportFacts, reportMarkdown } from './report';

const LOG_LINES = 60;

interface Parts {
  context: vscode.ExtensionContext;
  engine: EngineService;
  devices: DeviceWatcher;
  lint: Lint;
  log: Log;
}

/** Copies the report. It starts nothing: a report must be possible when nothing starts. */
export function registerReportCommand(parts: Parts): vscode.Disposable {
  return vscode.commands.registerCommand(Command.CopyReport, async () => {
    await vscode.env.clipboard.writeText(reportMarkdown(gather(parts)));
    void vscode.window.showInformationMessage('The Seamscope report is on the clipboard.');
  });
}

function gather({ context, engine, devices, lint, log }: Parts): ReportFacts {
  const { info } = engine;
  return {
    versions: {
      Seamscope: String(context.extension.packageJSON.version),
      'VS Code': `${vscode.version} (${vscode.env.appName}${vscode.env.remoteName ? `, remote: ${vscode.env.remoteName}` : ''})`,
      Node: process.versions.node,
      System: `${os.type()} ${os.release()} ${process.arch}`,
    },
    engine: {
      state: engine.state,
      failure: engine.failure?.message ?? info?.addonProblem?.message,
      facts: info ? { 'Engine version': info.engineVersion, Addon: info.addonPath || 'not loaded' } : {},
    },
    lint: lint.state,
    snapshot: devices.snapshot,
    settings: changedSettings(),
    log: log.tail(LOG_LINES),
  };
}
