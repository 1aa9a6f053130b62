import * as vscode from 'vscode';
import type { RecordFormat } from '../../../helper/protocol/engine';
import type { RecordingState } from '../../../helper/protocol/frames';
import { formatName, formatsFor } from './formats';
import type { PictureStream } from './picture-stream';
import { explain } from './words';

/** A recording that nobody stops ends by itself: a minute at the fastest rate. */
const MOST_FRAMES = 14_400;

/** Asks for format and folder and has the engine write every frame that is shown from now on. Null: cancelled. */
export async function startRecording(stream: PictureStream): Promise<RecordingState | null> {
  const format = await pickFormat(formatsFor(stream.output));
  const folder = format && (await pickFolder());
  if (!format || !folder) return null;
  try {
    return await stream.ask('view/record', { folder, format, frames: MOST_FRAMES });
  } catch (error) {
    void vscode.window.showErrorMessage(`Nothing is recorded. ${explain(error)}`);
    throw error;
  }
}

export async function stopRecording(stream: PictureStream): Promise<RecordingState> {
  const state = await stream.ask('view/recordStop', {});
  tellRecording(state);
  return state;
}

async function pickFormat(formats: RecordFormat[]): Promise<RecordFormat | undefined> {
  if (formats.length === 1) return formats[0];
  const items = formats.map((format) => ({ label: formatName(format), description: `.${format}`, format }));
  return (await vscode.window.showQuickPick(items, { title: 'Record Frames', placeHolder: 'Format of the files' }))?.format;
}

async function pickFolder(): Promise<string | undefined> {
  const workspace = vscode.workspace.workspaceFolders?.[0]?.uri;
  const options = { canSelectFiles: false, canSelectFolders: true, openLabel: 'Record Here', title: 'Folder for the Frames' };
  const [folder] = (await vscode.window.showOpenDialog({ ...options, ...(workspace && { defaultUri: workspace }) })) ?? [];
  return folder?.fsPath;
}

/** Says how a recording went, once it has ended. */
export function tellRecording(state: RecordingState): void {
  void tell(state);
}

async function tell({ written, dropped, folder, problem }: RecordingState): Promise<void> {
  const missed = dropped > 0 ? `, ${dropped} came while the disk was busy` : '';
  const text = `${written} frames written to ${folder}${missed}.`;
  if (problem) void vscode.window.showWarningMessage(`${text} ${explain(problem)}`);
  else if ((await vscode.window.showInformationMessage(text, 'Show Folder')) === 'Show Folder') {
    await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(folder));
  }
}
