import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import { demoFile } from './support/extension';
import { until } from './support/until';

/** What the demo files are there to show: each rule, its line and the line of the other place. */
const faults = [
  { file: 'shared_image.cpp', rule: 'fd/use-after-transfer', line: /^\s*close\(fd\);.*done with it/, related: /cudaImportExternalMemory/ },
  { file: 'shared_image.cpp', rule: 'memory/handle-enum', line: /VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE/, related: undefined },
  { file: 'import_frame.cu', rule: 'fd/leak-on-failure', line: /./, related: /dup\(sharedFd\)|cudaImportExternalMemory/ },
  { file: 'publish_frames.py', rule: 'sync/unmap-event-and-stream', line: /unmap\(event=/, related: undefined },
];

export function ruleOf({ code }: vscode.Diagnostic): string {
  return String(typeof code === 'object' ? code.value : code);
}

export function diagnosticsOf(uri: vscode.Uri): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'seamscope');
}

export function lintSuite(): void {
  describe('lint', () => {
    for (const { file, rule, line, related } of faults) {
      it(`finds ${rule} in ${file}`, async () => {
        const uri = demoFile(file);
        const document = await vscode.workspace.openTextDocument(uri);
        await vscode.window.showTextDocument(document, { preview: false });
        const found = await until(`${rule} in ${file}`, () => diagnosticsOf(uri).find((diagnostic) => ruleOf(diagnostic) === rule));
        assert.match(document.lineAt(found.range.start.line).text, line);
        assert.ok(found.message.length > 20);
        if (!related) return;
        const places = (found.relatedInformation ?? []).map(({ location }) => document.lineAt(location.range.start.line).text);
        assert.ok(
          places.some((text) => related.test(text)),
          `related: ${JSON.stringify(places)}`,
        );
      });
    }

    it('finds nothing else in the demo', () => {
      const unexpected = faults.flatMap(({ file }) =>
        diagnosticsOf(demoFile(file)).filter((found) => !faults.some((fault) => fault.file === file && fault.rule === ruleOf(found))),
      );
      assert.deepEqual(
        unexpected.map(({ message }) => message),
        [],
      );
    });

    it('follows an edit', async () => {
      const uri = demoFile('publish_frames.py');
      const document = await vscode.workspace.openTextDocument(uri);
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      const place = document.getText().indexOf(', stream=stream.cuda_stream)');
      const range = new vscode.Range(document.positionAt(place), document.positionAt(place + ', stream=stream.cuda_stream'.length));
      await editor.edit((edit) => edit.delete(range));
      await until('no diagnostic after the fix', () => diagnosticsOf(uri).length === 0);
      await vscode.commands.executeCommand('undo');
      await until('the diagnostic after undo', () => diagnosticsOf(uri).length === 1);
    });
  });
}
