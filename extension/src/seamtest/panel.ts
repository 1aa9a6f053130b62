import * as vscode from 'vscode';
import { Messenger } from '../../../helper/protocol/messenger';
import {
  type SeamFormat,
  type SeamHostNotifications,
  type SeamHostRequests,
  type SeamInspection,
  type SeamPanelAction,
  type SeamPanelNotifications,
  type SeamPanelRequests,
  type SeamPanelState,
  seamFormats,
} from '../../../helper/protocol/seam-panel';
import { PROTOCOL_VERSION } from '../../../helper/protocol/version';
import { Command } from '../contributions/ids';
import { panelHtml, webviewRoot } from '../webview/html';
import { exportReport } from './export';
import type { SeamTests } from './seam-tests';

const INSPECT_TIMEOUT_MS = 3000;

type SeamMessenger = Messenger<SeamHostRequests, SeamHostNotifications, SeamPanelRequests, SeamPanelNotifications>;

/** The report as a webview: it shows what SeamTests knows and keeps nothing itself. */
export class SeamPanel {
  readonly #panel: vscode.WebviewPanel;
  readonly #tests: SeamTests;
  readonly #messenger: SeamMessenger;
  readonly #disposables: vscode.Disposable[];
  #isClosed = false;

  constructor(panel: vscode.WebviewPanel, tests: SeamTests, extensionUri: vscode.Uri) {
    this.#panel = panel;
    this.#tests = tests;
    this.#messenger = new Messenger((message) => this.#isClosed || void panel.webview.postMessage(message));
    this.#answer();
    this.#disposables = [
      panel.webview.onDidReceiveMessage((message) => this.#messenger.receive(message)),
      panel.onDidDispose(() => this.#dispose()),
      tests.onDidChange(() => void this.#send()),
    ];
    const media = (file: string) => vscode.Uri.joinPath(extensionUri, 'extension', 'media', file);
    panel.iconPath = { light: media('seam-light.svg'), dark: media('seam-dark.svg') };
    panel.webview.options = { enableScripts: true, localResourceRoots: [webviewRoot(extensionUri)] };
    panel.webview.html = panelHtml(panel.webview, extensionUri, { bundle: 'seam', title: 'Seam Test' });
  }

  reveal(): void {
    this.#panel.reveal();
  }

  get panel(): vscode.WebviewPanel {
    return this.#panel;
  }

  inspect(): Promise<SeamInspection> {
    return this.#messenger.request('inspect', {}, INSPECT_TIMEOUT_MS);
  }

  filter(choice: SeamHostRequests['filter']['params']): Promise<SeamInspection> {
    return this.#messenger.request('filter', choice, INSPECT_TIMEOUT_MS);
  }

  #answer(): void {
    this.#messenger.onRequest('start', ({ protocolVersion }) => {
      if (protocolVersion === PROTOCOL_VERSION) return this.#state();
      const text = `This panel speaks protocol version ${protocolVersion}, the extension speaks ${PROTOCOL_VERSION}.`;
      throw Object.assign(new Error(text), { nextStep: 'Close the panel and show the report again.' });
    });
    this.#messenger.onRequest('export', ({ format }) => this.#export(format));
    // A document may send anything; only these names do something.
    this.#messenger.onNotification('action', (action: Partial<SeamPanelNotifications['action']> | null) => {
      const name = action?.name;
      if (name !== undefined && Object.hasOwn(this.#actions, name)) this.#actions[name]();
    });
  }

  readonly #actions: Record<SeamPanelAction, () => void> = {
    run: () => void vscode.commands.executeCommand(Command.RunSeamTest),
    runWithHost: () => void vscode.commands.executeCommand(Command.RunSeamTest, { settings: {}, ...this.#tests.lastRequest, host: true }),
    cancel: () => this.#tests.cancel(),
    doctor: () => void vscode.commands.executeCommand(Command.RunDoctor),
    showLog: () => void vscode.commands.executeCommand(Command.ShowLog),
    words: () => void vscode.commands.executeCommand(Command.OpenSeamWords),
  };

  async #export(format: SeamFormat): Promise<{ file: string } | null> {
    const report = await this.#tests.lastReport();
    if (!report || !seamFormats.includes(format)) return null;
    return exportReport(report, format);
  }

  async #state(): Promise<SeamPanelState> {
    const { progress, failure } = this.#tests;
    return { report: (await this.#tests.lastReport()) ?? null, progress: progress ?? null, failure: failure ?? null };
  }

  async #send(): Promise<void> {
    this.#messenger.notify('state', await this.#state());
  }

  #dispose(): void {
    this.#isClosed = true;
    this.#messenger.close('The report was closed.');
    vscode.Disposable.from(...this.#disposables).dispose();
  }
}

/** The one report panel, and how VS Code brings it back after a reload. */
export class SeamPanels implements vscode.WebviewPanelSerializer {
  readonly #tests: SeamTests;
  readonly #extensionUri: vscode.Uri;
  readonly #type: string;
  #open: SeamPanel | undefined;

  constructor(type: string, tests: SeamTests, extensionUri: vscode.Uri) {
    this.#type = type;
    this.#tests = tests;
    this.#extensionUri = extensionUri;
  }

  get open(): SeamPanel | undefined {
    return this.#open;
  }

  show(): void {
    if (this.#open) this.#open.reveal();
    else this.#adopt(vscode.window.createWebviewPanel(this.#type, 'Seam Test', vscode.ViewColumn.Active));
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.#adopt(panel);
  }

  #adopt(webviewPanel: vscode.WebviewPanel): void {
    this.#open?.panel.dispose();
    const panel = new SeamPanel(webviewPanel, this.#tests, this.#extensionUri);
    this.#open = panel;
    webviewPanel.onDidDispose(() => {
      if (this.#open === panel) this.#open = undefined;
    });
  }
}
