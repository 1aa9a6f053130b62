import type { Connection, TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { isConfig } from './config-watch';
import { diagnosticsOf } from './diagnostic';
import type { DocumentLinter } from './document-linter';
import type { RuleLink } from './rule-link';

/**
 * For clients that cannot pull: publishes after a pause in typing that follows the time of the last run, 50 to 500 ms.
 * @returns publishes all open documents anew
 */
export function servePush(connection: Connection, documents: TextDocuments<TextDocument>, linter: DocumentLinter, link: RuleLink): () => void {
  const timers = new Map<string, NodeJS.Timeout>();
  const publish = async (uri: string) => {
    timers.delete(uri);
    const document = documents.get(uri);
    if (!document) return;
    const diagnostics = await diagnosticsOf(document, linter, link);
    if (documents.get(uri)?.version === document.version) await connection.sendDiagnostics({ uri, version: document.version, diagnostics });
  };
  const schedule = (uri: string) => {
    // Their faults are told by whoever reads them.
    if (isConfig(uri)) return;
    clearTimeout(timers.get(uri));
    timers.set(
      uri,
      setTimeout(() => void publish(uri), Math.min(500, Math.max(50, linter.lastRun))),
    );
  };
  documents.onDidChangeContent(({ document }) => schedule(document.uri));
  documents.onDidClose(({ document: { uri } }) => {
    if (isConfig(uri)) return;
    clearTimeout(timers.get(uri));
    timers.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
  return () => {
    for (const uri of documents.keys()) schedule(uri);
  };
}
