import assert from 'node:assert/strict';
import { afterEach, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { CONFIG_NAME } from '../../../helper/protocol/lint';
import { diagnosticsOf, ruleOf } from './lint';
import { demoFile } from './support/extension';
import { until } from './support/until';

const faulty = () => demoFile('shared_image.cpp');

async function finding(rule: string): Promise<vscode.Diagnostic> {
  return await until(`${rule} in the demo`, () => diagnosticsOf(faulty()).find((found) => ruleOf(found) === rule));
}

async function gone(rule: string): Promise<void> {
  await until(`no ${rule} in the demo`, () => !diagnosticsOf(faulty()).some((found) => ruleOf(found) === rule));
}

async function open(): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(faulty());
  return await vscode.window.showTextDocument(document, { preview: false });
}

/** Undo and revert depend on what the workbench has saved meanwhile: the text is put back by hand, and what is said of it awaited. */
async function restore(text: string): Promise<void> {
  const { document } = await open();
  if (document.getText() !== text) {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
    await document.save();
  }
  for (const rule of ['memory/handle-enum', 'fd/use-after-transfer']) await finding(rule);
}

async function actionsAt(range: vscode.Range): Promise<vscode.CodeAction[]> {
  return await vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', faulty(), range, 'quickfix');
}

export function lintActionsSuite(): void {
  describe('lint actions', () => {
    let original = '';
    before(async () => {
      await vscode.workspace.getConfiguration('files').update('autoSave', 'off', vscode.ConfigurationTarget.Global);
      original = (await open()).document.getText();
    });
    afterEach(() => restore(original));

    it('applies the safe fix that the editor prefers', async () => {
      const found = await finding('memory/handle-enum');
      const editor = await open();
      editor.selection = new vscode.Selection(found.range.start, found.range.start);
      // The editor asks for actions in its own time; once the fix is in, the command does nothing.
      await until('the fix', async () => {
        await vscode.commands.executeCommand('editor.action.autoFix');
        return /= VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;$/.test(editor.document.lineAt(found.range.start.line).text);
      });
      await gone('memory/handle-enum');
    });

    it('applies all safe fixes at once', async () => {
      await finding('memory/handle-enum');
      const { document } = await open();
      await until('the fixes', async () => {
        await vscode.commands.executeCommand('editor.action.fixAll');
        return document.getText() !== original;
      });
      await gone('memory/handle-enum');
      assert.ok(
        diagnosticsOf(faulty()).some((found) => ruleOf(found) === 'fd/use-after-transfer'),
        'a suggestion was applied unasked',
      );
    });

    it('suppresses with a comment that asks for a reason', async () => {
      const found = await finding('fd/use-after-transfer');
      const suppress = (await actionsAt(found.range)).find(({ title }) => title === 'Suppress fd/use-after-transfer here, with a reason');
      assert.ok(suppress?.edit, 'the action is missing');
      assert.ok(await vscode.workspace.applyEdit(suppress.edit));
      await gone('fd/use-after-transfer');
      const { range } = await finding('suppression/without-reason');
      const editor = await open();
      const place = editor.document.lineAt(range.start.line).text.indexOf('<reason>');
      const reason = new vscode.Range(range.start.line, place, range.start.line, place + '<reason>'.length);
      await editor.edit((edit) => edit.replace(reason, 'the stand-in driver of the demo duplicates'));
      await gone('suppression/without-reason');
      assert.ok(!diagnosticsOf(faulty()).some((each) => ruleOf(each) === 'fd/use-after-transfer'));
    });

    it('opens the page of a rule from the link of its code', async () => {
      const { code } = await finding('fd/use-after-transfer');
      assert.ok(typeof code === 'object' && code.target.scheme === 'command', JSON.stringify(code));
      await vscode.commands.executeCommand(code.target.path, ...JSON.parse(code.target.query));
      const tab = await until('the page of the rule', () => {
        const { activeTab } = vscode.window.tabGroups.activeTabGroup;
        return activeTab?.input instanceof vscode.TabInputWebview && activeTab.input.viewType.includes('markdown.preview') && activeTab;
      });
      assert.match(tab.label, /use-after-transfer/);
      await vscode.window.tabGroups.close(tab);
    });

    it('explains a finding in its hover', async () => {
      const { range } = await finding('fd/use-after-transfer');
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', faulty(), range.start);
      const texts = hovers.flatMap(({ contents }) => contents).map((each) => (typeof each === 'string' ? each : each.value));
      assert.ok(
        texts.some((text) => /A successful import/.test(text) && text.includes('command:seamscope.openRule')),
        JSON.stringify(texts),
      );
    });

    it('follows seamscope.json, and shows its faults', async () => {
      const config = demoFile(CONFIG_NAME);
      const write = (text: string) => vscode.workspace.fs.writeFile(config, Buffer.from(text));
      await write('{"rules": {"fd/*": "off"}}');
      try {
        await gone('fd/use-after-transfer');
        await write('{"rules": {"fd/*": "loud"}}');
        const fault = await until('the fault of the configuration', () => diagnosticsOf(config)[0]);
        assert.match(fault.message, /For the level of fd\/\*/);
        assert.equal(fault.range.start.character, 19);
      } finally {
        await vscode.workspace.fs.delete(config);
      }
      await finding('fd/use-after-transfer');
      await until('no fault of a file that is gone', () => diagnosticsOf(config).length === 0);
    });
  });
}
