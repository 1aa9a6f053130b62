// The lint server of a build in a process of its own, spoken to as an editor does that pulls diagnostics.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { createMessageConnection, IPCMessageReader, IPCMessageWriter } from 'vscode-jsonrpc/node';
import { inRoot } from '../../../scripts/lib/paths.mjs';

/** What the extension starts the server with. */
async function serverFlags() {
  const { code } = await transform(readFileSync(inRoot('helper/protocol/lint.ts'), 'utf8'), { loader: 'ts', format: 'esm' });
  const { LINT_SERVER_FLAGS } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return LINT_SERVER_FLAGS;
}

export class LintSession {
  #child;
  #connection;
  #versions = new Map();

  /** Resolves when the server has answered the greeting. */
  static async start(dist) {
    const session = new LintSession();
    const flags = await serverFlags();
    session.#child = fork(path.join(dist, 'lint-server.js'), ['--node-ipc'], { silent: true, execArgv: [...process.execArgv, ...flags] });
    session.#connection = createMessageConnection(new IPCMessageReader(session.#child), new IPCMessageWriter(session.#child));
    session.#connection.onRequest('workspace/diagnostic/refresh', () => null);
    session.#connection.listen();
    const capabilities = { workspace: { diagnostics: { refreshSupport: true } }, textDocument: { diagnostic: {} } };
    await session.#connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities });
    await session.#connection.sendNotification('initialized', {});
    return session;
  }

  async open(file, text, languageId = 'cpp') {
    const uri = pathToFileURL(file).href;
    this.#versions.set(uri, 1);
    await this.#connection.sendNotification('textDocument/didOpen', { textDocument: { uri, languageId, version: 1, text } });
  }

  /** @returns the number of findings */
  async pull(file) {
    const answer = await this.#connection.sendRequest('textDocument/diagnostic', { textDocument: { uri: pathToFileURL(file).href } });
    return answer.items.length;
  }

  /** One keystroke and the pull after it. `edit` is an LSP content change. @returns milliseconds from the one to the answer of the other */
  async type(file, edit) {
    const uri = pathToFileURL(file).href;
    const version = this.#versions.get(uri) + 1;
    this.#versions.set(uri, version);
    const started = performance.now();
    void this.#connection.sendNotification('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [edit] });
    await this.#connection.sendRequest('textDocument/diagnostic', { textDocument: { uri } });
    return performance.now() - started;
  }

  /** Memory of the process in MiB. */
  get residentMiB() {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8'))[1]) / 1024;
  }

  async stop() {
    const exited = new Promise((resolve) => this.#child.once('exit', resolve));
    await this.#connection.sendRequest('shutdown');
    await this.#connection.sendNotification('exit');
    await exited;
    this.#connection.dispose();
  }
}
