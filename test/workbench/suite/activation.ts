import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import { Command } from '../../../extension/src/contributions/ids';
import { seamscope, seamscopeExtension } from './support/extension';
import { childProcesses } from './support/processes';

export function activationSuite(): void {
  describe('activation', () => {
    it('starts no helper', async () => {
      const api = await seamscope();
      console.log(`      activate() took ${api.activationMs.toFixed(1)} ms; running from ${seamscopeExtension().extensionPath}`);
      assert.equal(api.engine.state, 'idle');
      assert.equal(api.engine.pid, undefined);
      assert.deepEqual(childProcesses('engine.js'), []);
      assert.deepEqual(childProcesses('lint-server.js'), []);
    });

    it('registers every command', async () => {
      const registered = await vscode.commands.getCommands(true);
      assert.deepEqual(
        Object.values(Command).filter((id) => !registered.includes(id)),
        [],
      );
    });
  });
}
