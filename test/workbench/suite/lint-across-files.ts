import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { Command } from '../../../extension/src/contributions/ids';
import { diagnosticsOf, ruleOf } from './lint';
import { demoFile } from './support/extension';
import { until } from './support/until';

const rule = 'fd/use-after-transfer';
const caller = () => demoFile('across/share.cpp');
const callee = () => demoFile('across/finish.cpp');

const callerText = `#include <cuda.h>
void finish(int fd);
void share(CUexternalMemory* memory, int fd) {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle = {.fd = fd}, .size = 64};
    if (cuImportExternalMemory(memory, &desc) != CUDA_SUCCESS) return;
    finish(fd);
}
`;
const closes = '#include <cuda.h>\n\nvoid finish(int fd) {\n    close(fd);\n}\n';
const looks = closes.replace('close(fd)', 'printf("%d", fd)');

const isFound = () => diagnosticsOf(caller()).some((found) => ruleOf(found) === rule);

async function show(uri: vscode.Uri, column: vscode.ViewColumn): Promise<vscode.TextEditor> {
  return await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: false, viewColumn: column });
}

async function replaceText({ document }: vscode.TextEditor, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  await vscode.workspace.applyEdit(edit);
}

export function lintAcrossFilesSuite(): void {
  describe('lint across files', () => {
    before(async () => {
      await vscode.workspace.getConfiguration('files').update('autoSave', 'off', vscode.ConfigurationTarget.Global);
      await vscode.workspace.fs.writeFile(caller(), Buffer.from(callerText));
      await vscode.workspace.fs.writeFile(callee(), Buffer.from(closes));
    });
    after(async () => {
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await vscode.workspace.fs.delete(demoFile('across'), { recursive: true });
    });

    it('a finding appears because of a file that nobody has opened', async () => {
      await show(caller(), vscode.ViewColumn.One);
      await until(`${rule} by the file on disk`, isFound);
    });

    it('it goes and comes back as the other file is edited, without saving', async () => {
      const editor = await show(callee(), vscode.ViewColumn.Two);
      await replaceText(editor, looks);
      await until('no finding while the other file only looks', () => !isFound());
      await replaceText(editor, closes);
      await until('the finding while the other file closes', isFound);
    });

    it('it follows the disk when the other file is closed without saving', async () => {
      const editor = await show(callee(), vscode.ViewColumn.Two);
      await replaceText(editor, looks);
      await until('no finding while the other file only looks', () => !isFound());
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      await until('the finding by the file on disk', isFound);
    });
  });
  workspaceCheckSuite();
}

/** More files than a check gets through before somebody can cancel it. */
const many = 200;
const manyFile = (i: number) => demoFile(`check/f${i}.cpp`);
/** Enough in each that it takes the check a while. */
const manyText = Array.from({ length: 40 }, (_, i) => callerText.replace('share', `share${i}`).replace('finish(fd);\n}', 'close(fd);\n}')).join('');
const hasFinding = (uri: vscode.Uri) => diagnosticsOf(uri).some((found) => ruleOf(found) === rule);
const never = () => demoFile('across-never/share.cpp');
const foundInMany = () => Array.from({ length: many }, (_, i) => manyFile(i)).filter(hasFinding).length;

/** Of files that no editor has ever opened. */
function workspaceCheckSuite(): void {
  describe('lint across files: a check of the workspace', () => {
    before(async () => {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await vscode.workspace.fs.writeFile(never(), Buffer.from(callerText));
      await vscode.workspace.fs.writeFile(demoFile('across-never/finish.cpp'), Buffer.from(closes));
    });
    after(async () => {
      for (const folder of ['across-never', 'check']) await vscode.workspace.fs.delete(demoFile(folder), { recursive: true });
    });

    it('puts what is in a file that was never opened into Problems', async () => {
      assert.equal(hasFinding(never()), false);
      await vscode.commands.executeCommand(Command.CheckWorkspace);
      await until('the finding by the check', () => hasFinding(never()));
    });

    it('is cancelled by its notification, and the next check goes through', async () => {
      for (let i = 0; i < many; i++) await vscode.workspace.fs.writeFile(manyFile(i), Buffer.from(manyText));
      let isOver = false;
      const check = vscode.commands.executeCommand(Command.CheckWorkspace).then(() => {
        isOver = true;
      });
      await until('the end of the cancelled check', async () => {
        await vscode.commands.executeCommand('notification.acceptPrimaryAction');
        return isOver;
      });
      await check;
      assert.ok(foundInMany() < many);
      await vscode.commands.executeCommand(Command.CheckWorkspace);
      await until('the findings of all files', () => foundInMany() === many);
    });
  });
}
