import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { SeamscopeApi } from '../../../../extension/src/api';
import { EXTENSION_ID } from '../../../../extension/src/contributions/ids';

export function seamscopeExtension(): vscode.Extension<SeamscopeApi> {
  const extension = vscode.extensions.getExtension<SeamscopeApi>(EXTENSION_ID);
  assert.ok(extension, `${EXTENSION_ID} is not installed in this VS Code.`);
  return extension;
}

export function seamscope(): Promise<SeamscopeApi> {
  return Promise.resolve(seamscopeExtension().activate());
}

/** A file of the demo workspace. */
export function demoFile(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'The suite needs the demo workspace.');
  return vscode.Uri.joinPath(folder.uri, name);
}
