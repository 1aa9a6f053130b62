/** "Add Publisher to Project": copies the header or the module into the workspace. */
import * as vscode from 'vscode';
import { Command } from '../contributions/ids';

interface Choice extends vscode.QuickPickItem {
  file: string;
}

const CHOICES: Choice[] = [
  { label: 'C and C++', description: 'seamscope.h', detail: 'One header, nothing to link.', file: 'seamscope.h' },
  { label: 'Python', description: 'seamscope.py', detail: 'One module, standard library only.', file: 'seamscope.py' },
];

/** `publishers` holds the files as they are shipped. */
export function registerAddPublisher(publishers: vscode.Uri): vscode.Disposable {
  return vscode.commands.registerCommand(Command.AddPublisher, (file?: unknown, folder?: vscode.Uri) =>
    addPublisher(publishers, CHOICES.find((choice) => choice.file === file)?.file, folder),
  );
}

async function addPublisher(publishers: vscode.Uri, wanted: string | undefined, given: vscode.Uri | undefined): Promise<vscode.Uri | undefined> {
  const file =
    wanted ?? (await vscode.window.showQuickPick(CHOICES, { title: 'Add Publisher to Project', placeHolder: 'Language of the program' }))?.file;
  const folder = file && (given ?? (await chooseFolder()));
  if (!file || !folder) return undefined;
  const source = vscode.Uri.joinPath(publishers, file);
  const target = vscode.Uri.joinPath(folder, file);
  try {
    if (!(await mayWrite(source, target))) return undefined;
    await vscode.workspace.fs.copy(source, target, { overwrite: true });
    await vscode.window.showTextDocument(target);
    return target;
  } catch (error) {
    const choice = await vscode.window.showErrorMessage(`${file} could not be added: ${(error as Error).message}`, 'Choose Another Folder');
    return choice ? addPublisher(publishers, file, undefined) : undefined;
  }
}

async function chooseFolder(): Promise<vscode.Uri | undefined> {
  const defaultUri = vscode.workspace.workspaceFolders?.[0]?.uri;
  const options = { canSelectFolders: true, canSelectFiles: false, openLabel: 'Add Here', title: 'Folder for the Publisher' };
  return (await vscode.window.showOpenDialog({ ...options, ...(defaultUri && { defaultUri }) }))?.[0];
}

/** A file that differs may hold somebody's changes. */
async function mayWrite(source: vscode.Uri, target: vscode.Uri): Promise<boolean> {
  const present = await Promise.resolve(vscode.workspace.fs.readFile(target)).catch(() => null);
  if (!present) return true;
  const shipped = await vscode.workspace.fs.readFile(source);
  if (Buffer.compare(present, shipped) === 0) return true;
  const answer = await vscode.window.showWarningMessage(
    `${target.fsPath} exists and differs from the one of this Seamscope.`,
    { modal: true },
    'Replace',
  );
  return answer === 'Replace';
}
