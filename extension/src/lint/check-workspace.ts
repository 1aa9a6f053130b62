import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { Command } from '../contributions/ids';
import type { Log } from '../log';
import type { Lint } from './lint';

/** "Check Workspace": every file of the workspace is linted once, and what was found stays in Problems until the next check. */
export class WorkspaceCheck implements vscode.Disposable {
  /** Of files that no editor has open: the client shows those of open ones itself. */
  readonly #found = vscode.languages.createDiagnosticCollection('seamscope-workspace');
  readonly #disposables: vscode.Disposable[];
  readonly #lint: Lint;
  readonly #log: Log;

  constructor(lint: Lint, log: Log) {
    this.#lint = lint;
    this.#log = log;
    this.#disposables = [
      this.#found,
      vscode.commands.registerCommand(Command.CheckWorkspace, () => this.run()),
      vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
        for (const uri of urisOf(opened)) this.#found.delete(uri);
      }),
      vscode.workspace.onDidDeleteFiles(({ files }) => {
        for (const file of files) this.#found.delete(file);
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.#disposables).dispose();
  }

  async run(): Promise<void> {
    if (!vscode.workspace.workspaceFolders?.length) {
      void vscode.window.showWarningMessage('There is no workspace to check. Open a folder first.');
      return;
    }
    const client = await this.#lint.client().catch(() => undefined);
    if (!client) {
      void vscode.window.showWarningMessage(
        'Seamscope cannot check the workspace: the code checks are switched off, or the lint server did not start.',
      );
      return;
    }
    const options = { location: vscode.ProgressLocation.Notification, title: 'Seamscope: checking the workspace', cancellable: true };
    await vscode.window.withProgress(options, (progress, token) => this.#check(client, progress, token));
  }

  async #check(client: LanguageClient, progress: vscode.Progress<{ message?: string; increment?: number }>, token: vscode.CancellationToken) {
    const { WorkspaceDiagnosticRequest, WorkDoneProgress } = await import('./client');
    this.#found.clear();
    const id = `check-${Date.now()}`;
    let percent = 0;
    const listeners = [
      client.onProgress(WorkDoneProgress.type, `${id}-work`, (value) => {
        if (value.kind !== 'report') return;
        const now = value.percentage ?? percent;
        progress.report({ message: value.message, increment: now - percent });
        percent = now;
      }),
      client.onProgress(WorkspaceDiagnosticRequest.partialResult, `${id}-part`, ({ items }) => void this.#show(client, items)),
    ];
    try {
      const params = { previousResultIds: [], workDoneToken: `${id}-work`, partialResultToken: `${id}-part` };
      const { items } = await client.sendRequest(WorkspaceDiagnosticRequest.type, params, token);
      await this.#show(client, items);
      if (!token.isCancellationRequested) await vscode.commands.executeCommand('workbench.actions.view.problems');
    } catch (error) {
      if (token.isCancellationRequested) return;
      const cause = error instanceof Error ? error.message : String(error);
      this.#log.error(`Checking the workspace failed: ${cause}`);
      void vscode.window.showErrorMessage(`Checking the workspace failed: ${cause} Run "Seamscope: Restart Helpers" and try again.`);
    } finally {
      vscode.Disposable.from(...listeners).dispose();
    }
  }

  async #show(client: LanguageClient, items: readonly { uri: string; kind: string; items?: unknown[] }[]): Promise<void> {
    for (const { uri, items: found } of items) {
      const target = client.protocol2CodeConverter.asUri(uri);
      const isOpen = urisOf(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs)).some((uri) => uri.toString() === target.toString());
      if (isOpen || !found) continue;
      this.#found.set(
        target,
        await client.protocol2CodeConverter.asDiagnostics(found as Parameters<typeof client.protocol2CodeConverter.asDiagnostics>[0]),
      );
    }
  }
}

/** A document may live on for a while after its last tab: tabs tell what the client shows itself. */
function urisOf(tabs: readonly vscode.Tab[]): vscode.Uri[] {
  return tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
}
