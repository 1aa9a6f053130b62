import * as vscode from 'vscode';
import { Command } from '../contributions/ids';

/** Opens the page of a rule as Markdown preview; without an id, the table of rules. `pages` holds `family/name.md` and `README.md`. */
export function registerRulePages(pages: vscode.Uri): vscode.Disposable {
  return vscode.commands.registerCommand(Command.OpenRule, async (id?: unknown) => {
    const page = vscode.Uri.joinPath(pages, isRuleId(id) ? `${id}.md` : 'README.md');
    try {
      await vscode.workspace.fs.stat(page);
    } catch {
      void vscode.window.showErrorMessage(`The page ${page.fsPath} is missing. Install the extension again.`);
      return;
    }
    await vscode.commands.executeCommand('markdown.showPreview', page);
  });
}

/** A link may carry anything; only names of this form are paths of ours. */
function isRuleId(id: unknown): id is string {
  return typeof id === 'string' && /^[a-z0-9-]+\/[a-z0-9-]+$/.test(id);
}
