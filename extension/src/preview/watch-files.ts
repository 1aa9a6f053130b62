import * as path from 'node:path';
import * as vscode from 'vscode';
import type { SourceDescription } from '../../../helper/protocol/frames';
import { Command } from '../contributions/ids';
import type { Previews } from './previews';

/** Image files as a source of the preview: the newest of a folder, or one file whenever it is written again. */
export function filesSource(file: string): SourceDescription {
  return { id: `files:${file}`, label: path.basename(file), kind: 'files', device: '', outputs: [] };
}

/** Null: cancelled. */
export async function chooseFiles(): Promise<SourceDescription | null> {
  const defaultUri = vscode.workspace.workspaceFolders?.[0]?.uri;
  const options = { canSelectFiles: false, canSelectFolders: true, openLabel: 'Watch', title: 'Folder of PNG, EXR, NPY or PFM Files' };
  const [folder] = (await vscode.window.showOpenDialog({ ...options, ...(defaultUri && { defaultUri }) })) ?? [];
  return folder ? filesSource(folder.fsPath) : null;
}

export function registerWatchFiles(previews: Previews): vscode.Disposable {
  return vscode.commands.registerCommand(Command.WatchFiles, async (file?: vscode.Uri) => {
    const source = file ? filesSource(file.fsPath) : await chooseFiles();
    if (source) previews.open(source);
  });
}
