import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { Command } from '../../../extension/src/contributions/ids';
import { seamscope } from './support/extension';
import { until } from './support/until';

export function publishersSuite(): void {
  describe('publishers', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'seamscope-add-'));
    before(seamscope);
    after(() => rmSync(folder, { recursive: true, force: true }));

    for (const file of ['seamscope.h', 'seamscope.py']) {
      it(`adds ${file} to a project, as it is shipped`, async () => {
        await vscode.commands.executeCommand(Command.AddPublisher, file, vscode.Uri.file(folder));
        const shipped = vscode.extensions.getExtension('seamscope.seamscope')!.extensionUri;
        const original = readFileSync(vscode.Uri.joinPath(shipped, 'dist/publisher', file).fsPath);
        assert.ok(readFileSync(path.join(folder, file)).equals(original));
        await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      });
    }

    it('tells terminals the socket that the engine listens at', async () => {
      const api = await seamscope();
      await api.engine.request('sources/list', {});
      const file = path.join(folder, 'socket');
      const terminal = vscode.window.createTerminal({
        shellPath: '/bin/sh',
        shellArgs: ['-c', `printf %s "$SEAMSCOPE_SOCKET" > '${file}.new' && mv '${file}.new' '${file}'`],
      });
      try {
        const socket = await until('the terminal to say its socket', () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));
        assert.match(socket, /\/window-[0-9a-f]{16}(-\d+)?\.sock$/);
        await until('the engine to listen there', () => existsSync(socket) || undefined);
      } finally {
        terminal.dispose();
      }
    });
  });
}
