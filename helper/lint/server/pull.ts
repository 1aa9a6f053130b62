import { type Connection, DocumentDiagnosticReportKind, LSPErrorCodes, ResponseError, type TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { diagnosticsOf } from './diagnostic';
import type { DocumentLinter } from './document-linter';
import type { RuleLink } from './rule-link';

/** Answers `textDocument/diagnostic`. A request that a newer version or a cancel has overtaken is not computed. */
export function servePull(connection: Connection, documents: TextDocuments<TextDocument>, linter: DocumentLinter, link: RuleLink): void {
  connection.languages.diagnostics.on(async ({ textDocument, previousResultId }, token) => {
    const version = documents.get(textDocument.uri)?.version;
    await linter.ready();
    // Lets the messages that arrived meanwhile, edits and cancels, be read first.
    await new Promise((resolve) => setImmediate(resolve));
    const document = documents.get(textDocument.uri);
    if (token.isCancellationRequested || (document && document.version !== version)) {
      return new ResponseError(LSPErrorCodes.ServerCancelled, 'The document has changed.', { retriggerRequest: true });
    }
    if (!document) return { kind: DocumentDiagnosticReportKind.Full, items: [] };
    const resultId = linter.stateOf(document);
    if (previousResultId === resultId) return { kind: DocumentDiagnosticReportKind.Unchanged, resultId };
    const items = await diagnosticsOf(document, linter, link);
    return { kind: DocumentDiagnosticReportKind.Full, items, resultId };
  });
}
