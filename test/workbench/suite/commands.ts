import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import { Command } from '../../../extension/src/contributions/ids';
import { seamscope } from './support/extension';

export function commandsSuite(): void {
  describe('commands', () => {
    it('copies a report with versions, devices and log', async () => {
      const api = await seamscope();
      await vscode.commands.executeCommand(Command.CopyReport);
      const report = await vscode.env.clipboard.readText();
      assert.match(report, /^# Seamscope report/);
      assert.ok(report.includes(vscode.version));
      for (const { name } of api.devices.snapshot!.vulkan.devices) assert.ok(report.includes(name), name);
      assert.match(report, /Activated in/);
    });

    it('shows the log', async () => {
      await vscode.commands.executeCommand(Command.ShowLog);
      const api = await seamscope();
      assert.ok(api.log(5).length > 0);
      await vscode.commands.executeCommand('workbench.action.closePanel');
    });
  });
}
