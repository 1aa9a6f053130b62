import * as path from 'node:path';
import * as vscode from 'vscode';
import { formatName, formatsFor } from './formats';
import type { PictureStream } from './picture-stream';
import { explain } from './words';

/** Asks where to and has the engine write the frame at its full size and precision. Null: cancelled. */
export async function savePicture(stream: PictureStream): Promise<{ file: string } | null> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const { output } = stream;
  const formats = formatsFor(output);
  const name = `${output?.name ?? 'preview'}.${formats[0]}`;
  const target = await vscode.window.showSaveDialog({
    title: 'Save Frame',
    filters: Object.fromEntries(formats.map((format) => [formatName(format), [format]])),
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (!target) return null;
  const file = path.extname(target.fsPath) === '' ? `${target.fsPath}.${formats[0]}` : target.fsPath;
  try {
    await stream.ask('view/save', { file });
  } catch (error) {
    void vscode.window.showErrorMessage(`The frame was not saved. ${explain(error)}`);
    throw error;
  }
  vscode.window.setStatusBarMessage(`$(check) Saved ${path.basename(file)}`, 3000);
  return { file };
}
