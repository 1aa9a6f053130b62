import * as path from 'node:path';
import * as vscode from 'vscode';
import type { PictureStream } from './picture-stream';

/** Formats by file extension, as the engine knows them. */
const FILTERS = { PNG: ['png'] };

/** Asks where to and has the engine write the frame at its full size. Null: cancelled. */
export async function savePicture(stream: PictureStream): Promise<{ file: string } | null> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: 'Save Picture',
    filters: FILTERS,
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, 'preview.png') }),
  });
  if (!target) return null;
  try {
    await stream.save(target.fsPath);
  } catch (error) {
    const { message, nextStep = '' } = error as { message: string; nextStep?: string };
    void vscode.window.showErrorMessage(`The picture was not saved. ${message} ${nextStep}`);
    throw error;
  }
  vscode.window.setStatusBarMessage(`$(check) Saved ${path.basename(target.fsPath)}`, 3000);
  return { file: target.fsPath };
}
