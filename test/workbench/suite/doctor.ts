import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { SeamscopeApi } from '../../../extension/src/api';
import { Command } from '../../../extension/src/contributions/ids';
import type { DoctorNode } from '../../../extension/src/doctor/node';
import { seamscope } from './support/extension';
import { until } from './support/until';

export function doctorSuite(): void {
  describe('doctor view', () => {
    let api: SeamscopeApi;
    const flat = (nodes: readonly DoctorNode[]): DoctorNode[] => nodes.flatMap((node) => [node, ...flat(node.children)]);

    before(async () => {
      api = await seamscope();
      await vscode.commands.executeCommand(Command.RunDoctor);
    });

    it('shows every check, found or not', () => {
      const ids = flat(api.doctor.roots).map(({ id }) => id);
      for (const id of ['addon', 'libraries', 'preload', 'descriptor-limit', 'wsl', 'nvml']) assert.ok(ids.includes(id), `no row for ${id}`);
    });

    it('names a cause with what was seen', () => {
      const preload = flat(api.doctor.roots).find(({ id }) => id === 'preload');
      assert.match(preload?.description ?? '', /preloaded|stands/);
      assert.ok(preload?.children.some(({ label }) => label.startsWith('LD_PRELOAD')));
    });

    it('copies the command of a fix', async () => {
      await vscode.commands.executeCommand(Command.CopyFix, { command: 'sudo nvidia-modprobe -u' });
      assert.equal(await vscode.env.clipboard.readText(), 'sudo nvidia-modprobe -u');
    });

    it('puts a command into a terminal', async () => {
      await vscode.commands.executeCommand(Command.TypeFix, { command: 'true' });
      await until('a terminal', () => vscode.window.activeTerminal !== undefined);
      for (const terminal of vscode.window.terminals) terminal.dispose();
    });
  });
}
