/** The composition root: makes the parts, joins them, starts nothing that is not needed yet. */
import * as vscode from 'vscode';
import type { SeamscopeApi } from './api';
import { Panel } from './contributions/ids';
import { registerDeviceCommands } from './devices/commands';
import { DevicesView } from './devices/view';
import { DeviceWatcher } from './devices/watcher';
import { DevicesPanels } from './devices-panels/panels';
import { DoctorView } from './doctor/view';
import { EngineService } from './engine/service';
import { WorkspaceCheck } from './lint/check-workspace';
import { Lint } from './lint/lint';
import { registerRulePages } from './lint/rule-page';
import { Log } from './log';
import { Previews, registerPreviews } from './preview/previews';
import { registerAddPublisher } from './publishers/add';
import { Publishers } from './publishers/publishers';
import { registerReportCommand } from './report/command';
import { registerHelperCommands } from './restart';
import { registerSeamTest } from './seamtest/commands';
import { SeamPanels } from './seamtest/panel';
import { SeamTests } from './seamtest/seam-tests';
import { ReportStore } from './seamtest/store';
import { createStatusBarItem } from './status-bar';

let helpers: { dispose(): Promise<void> }[] = [];

export function activate(context: vscode.ExtensionContext): SeamscopeApi {
  const begun = performance.now();
  const script = (name: string) => vscode.Uri.joinPath(context.extensionUri, 'dist', name).fsPath;
  const page = (name: string) => vscode.Uri.joinPath(context.extensionUri, 'dist/docs', name);
  const log = new Log();
  const engine = new EngineService(script('engine.js'), log);
  const lint = new Lint(script('lint-server.js'), log);
  const watcher = new DeviceWatcher(engine, log);
  const view = new DevicesView(watcher);
  const doctor = new DoctorView(engine, log, page('devices.md'));
  const devicesPanels = new DevicesPanels({ engine, watcher, log, context });
  const previews = new Previews(engine, context.extensionUri);
  const publishers = new Publishers(context.environmentVariableCollection, engine, log);
  const store = new ReportStore(context.globalStorageUri);
  const seamTests = new SeamTests({ script: script('seamtest.js'), engine, log, store, previews: () => previews.panels.length });
  const seamPanels = new SeamPanels(Panel.SeamReport, seamTests, context.extensionUri);
  helpers = [engine, lint];
  context.subscriptions.push(
    log,
    watcher,
    view,
    doctor,
    createStatusBarItem(watcher),
    registerDeviceCommands(watcher),
    devicesPanels,
    registerPreviews(previews, engine),
    publishers,
    registerAddPublisher(vscode.Uri.joinPath(context.extensionUri, 'dist/publisher')),
    seamTests,
    registerSeamTest({ tests: seamTests, panels: seamPanels, engine, page: page('seam-test.md') }),
    registerHelperCommands(engine, lint, log),
    new WorkspaceCheck(lint, log),
    registerRulePages(vscode.Uri.joinPath(context.extensionUri, 'dist/rules')),
    registerReportCommand({ context, engine, devices: watcher, lint, log }),
  );
  const activationMs = performance.now() - begun;
  log.info(`Activated in ${activationMs.toFixed(1)} ms.`);
  return {
    activationMs,
    devices: {
      get snapshot() {
        return watcher.snapshot;
      },
      get tree() {
        return view.tree;
      },
      refresh: () => watcher.refresh({ again: true }),
    },
    devicesPanels,
    doctor,
    engine,
    seamTests,
    get seamPanel() {
      return seamPanels.open;
    },
    get previews() {
      return previews.panels;
    },
    get socket() {
      return publishers.socket;
    },
    log: (lines) => log.tail(lines),
  };
}

/** VS Code waits a few seconds for the helper processes to end. */
export async function deactivate(): Promise<void> {
  await Promise.all(helpers.map((helper) => helper.dispose()));
}
