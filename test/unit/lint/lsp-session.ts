// The bundled server in a process of its own, spoken to as an editor does.
import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type CancellationToken, createMessageConnection, IPCMessageReader, IPCMessageWriter, type MessageConnection } from 'vscode-jsonrpc/node';
import type { CodeAction, Diagnostic, Hover, TextEdit } from 'vscode-languageserver/node';
import { bundleInto } from './bundles';

interface Published {
  readonly uri: string;
  readonly diagnostics: readonly Diagnostic[];
}

export class LspSession {
  #server = '';
  #child: ChildProcess | undefined;
  #connection: MessageConnection | undefined;
  /** Pushed diagnostics, oldest first. */
  published: Published[] = [];
  /** How often the server asked for a new pull. */
  refreshes = 0;

  /** What `$/progress` told, oldest first. */
  progress: { readonly token: string; readonly value: Record<string, unknown> }[] = [];

  /** Texts of `window/logMessage`, oldest first. */
  logged: string[] = [];

  constructor(entry = 'helper/lint/server/main.ts') {
    beforeAll(() => {
      this.#server = bundleInto(entry, 'lint-server.js');
    });
    afterAll(() => rmSync(path.dirname(this.#server), { recursive: true, force: true }));
    afterEach(() => this.#stop());
  }

  async start(
    client: { initializationOptions?: object; workspace?: object; textDocument?: object; workspaceFolders?: { uri: string; name: string }[] } = {},
  ): Promise<Record<string, unknown>> {
    this.#child = fork(this.#server, ['--node-ipc'], { silent: true });
    this.#connection = createMessageConnection(new IPCMessageReader(this.#child), new IPCMessageWriter(this.#child));
    this.published = [];
    this.refreshes = 0;
    this.progress = [];
    this.logged = [];
    this.#connection.onNotification('window/logMessage', ({ message }: { message: string }) => {
      this.logged.push(message);
    });
    this.#connection.onNotification('$/progress', (params: { token: string; value: Record<string, unknown> }) => {
      this.progress.push(params);
    });
    this.#connection.onNotification('textDocument/publishDiagnostics', (params: Published) => {
      this.published.push(params);
    });
    this.#connection.onRequest('workspace/diagnostic/refresh', () => {
      this.refreshes++;
    });
    this.#connection.listen();
    const {
      initializationOptions,
      workspaceFolders,
      workspace = { diagnostics: { refreshSupport: true } },
      textDocument = { diagnostic: {} },
    } = client;
    const params = { processId: process.pid, rootUri: null, workspaceFolders, initializationOptions, capabilities: { workspace, textDocument } };
    const answer: { capabilities: Record<string, unknown> } = await this.#connection.sendRequest('initialize', params);
    await this.#connection.sendNotification('initialized', {});
    return answer.capabilities;
  }

  async #stop(): Promise<void> {
    const exited = new Promise<number | null>((resolve) => this.#child!.once('exit', resolve));
    await this.#connection!.sendRequest('shutdown');
    await this.#connection!.sendNotification('exit');
    expect(await exited).toBe(0);
    this.#connection!.dispose();
  }

  notify(method: string, params: object): Promise<void> {
    return this.#connection!.sendNotification(method, params);
  }

  request<T>(method: string, params: object, token?: CancellationToken): Promise<T> {
    return token ? this.#connection!.sendRequest(method, params, token) : this.#connection!.sendRequest(method, params);
  }

  open(uri: string, text: string, languageId = 'cpp'): Promise<void> {
    return this.notify('textDocument/didOpen', { textDocument: { uri, languageId, version: 1, text } });
  }

  async pull(uri: string): Promise<readonly Diagnostic[]> {
    const answer: { items: Diagnostic[] } = await this.#connection!.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
    return answer.items;
  }

  async codes(uri: string): Promise<unknown[]> {
    return (await this.pull(uri)).map(({ code }) => code);
  }

  actions(uri: string, line: number, only?: string[]): Promise<CodeAction[]> {
    const position = { line, character: 6 };
    const params = { textDocument: { uri }, range: { start: position, end: position }, context: { diagnostics: [], only } };
    return this.#connection!.sendRequest('textDocument/codeAction', params);
  }

  hover(uri: string, line: number, character: number): Promise<Hover | null> {
    return this.#connection!.sendRequest('textDocument/hover', { textDocument: { uri }, position: { line, character } });
  }
}

/** The edits of an action as [first line, new text]. */
export function editsOf(action: CodeAction | undefined): [number, string][] {
  return (action?.edit?.documentChanges ?? []).flatMap((change) =>
    'edits' in change ? change.edits.map((edit): [number, string] => [edit.range.start.line, textOf(edit as TextEdit)]) : [],
  );
}

function textOf(edit: TextEdit | { snippet: { value: string } }): string {
  return 'snippet' in edit ? edit.snippet.value : edit.newText;
}
