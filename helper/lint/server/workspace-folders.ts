// Which folders of this machine's disk the editor has open.
import { fileURLToPath } from 'node:url';
import type { Connection, InitializeParams } from 'vscode-languageserver/node';

/** Tells the folders at once and whenever they change. */
export function followFolders(connection: Connection, params: InitializeParams, tell: (folders: string[]) => void): void {
  const root = params.rootUri ? [params.rootUri] : [];
  const uris = new Set(params.workspaceFolders?.map(({ uri }) => uri) ?? root);
  const tellAll = () => tell([...uris].filter((uri) => uri.startsWith('file:')).map((uri) => fileURLToPath(uri)));
  tellAll();
  if (params.capabilities.workspace?.workspaceFolders !== true) return;
  connection.onInitialized(() => {
    connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
      for (const { uri } of removed) uris.delete(uri);
      for (const { uri } of added) uris.add(uri);
      tellAll();
    });
  });
}
