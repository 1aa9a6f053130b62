import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Dtype } from '../../../helper/protocol/frames';
import type { PictureStream } from './picture-stream';

/** PNG holds 8-bit outputs exactly; NumPy's format holds every output. */
function filters(dtype: Dtype | undefined): Record<string, string[]> {
  const numpy = { 'NumPy array': ['npy'] };
  return dtype === 'u8' ? { 'PNG picture': ['png'], ...numpy } : numpy;
}

/** Asks where to and has the engine write the frame at its full size. Null: cancelled. */
export async function savePicture(stream: PictureStream): Promise<{ file: string } | null> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const { output } = stream;
  const formats = filters(output?.dtype);
  const name = `${output?.name ?? 'preview'}.${Object.values(formats)[0]![0]}`;
  const target = await vscode.window.showSaveDialog({
    title: 'Save Picture',
    filters: formats,
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
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
