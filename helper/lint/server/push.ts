import type { Connection, TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { DocumentLinter } from './document-linter';

/** For clients that cannot pull: publishes after a pause in typing that follows the time of the last run, 50 to 500 ms. */
export function servePush(connection: Connection, documents: TextDocuments<TextDocument>, linter: DocumentLinter): void {
  const timers = new Map<string, NodeJS.Timeout>();
  const publish = async (uri: string) => {
    timers.delete(uri);
    const document = documents.get(uri);
    if (!document) return;
    const diagnostics = await linter.diagnosticsOf(document);
    if (documents.get(uri)?.version === document.version) await connection.sendDiagnostics({ uri, version: document.version, diagnostics });
  };
  documents.onDidChangeContent(({ document: { uri } }) => {
    clearTimeout(timers.get(uri));
    timers.set(
      uri,
      setTimeout(() => void publish(uri), Math.min(500, Math.max(50, linter.lastRun))),
    );
  });
  documents.onDidClose(({ document: { uri } }) => {
    clearTimeout(timers.get(uri));
    timers.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
}
