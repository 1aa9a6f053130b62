import * as vscode from 'vscode';
import type { SeamFormat } from '../../../helper/protocol/seam-panel';
import type { SeamReport } from '../../../helper/protocol/seamtest';

const FORMATS: Record<SeamFormat, { name: string; extension: string }> = {
  markdown: { name: 'Markdown', extension: 'md' },
  json: { name: 'JSON', extension: 'json' },
};

/** Both formats say the same. */
export async function reportText(report: SeamReport, format: SeamFormat): Promise<string> {
  if (format === 'json') return `${JSON.stringify(report, null, 2)}\n`;
  const { seamMarkdown } = await import('../../../helper/engine/seamtest-api');
  return seamMarkdown(report);
}

/** Asks where to, unless `target` says it. Null: the user cancelled. */
export async function exportReport(report: SeamReport, format: SeamFormat, target?: vscode.Uri): Promise<{ file: string } | null> {
  const { name, extension } = FORMATS[format];
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const file =
    target ??
    (await vscode.window.showSaveDialog({
      title: 'Export Seam Test Report',
      filters: { [name]: [extension] },
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, `seam-test.${extension}`) }),
    }));
  if (!file) return null;
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(await reportText(report, format)));
  return { file: file.fsPath };
}
