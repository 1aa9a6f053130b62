// `workspace/diagnostic`: all files of the workspace, when somebody asks. Results come as they are found where the client takes them so.
import { pathToFileURL } from 'node:url';
import {
  type Connection,
  DocumentDiagnosticReportKind,
  type TextDocuments,
  type WorkspaceDocumentDiagnosticReport,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { diagnosticsOf, toDiagnostic } from './diagnostic';
import type { DocumentLinter } from './document-linter';
import type { RuleLink } from './rule-link';
import type { WorkspaceEffects } from './workspace-effects';

interface Pulled {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly linter: DocumentLinter;
  readonly effects: WorkspaceEffects;
  readonly link: RuleLink;
}

/** Not oftener than this a client is told how far it is, in milliseconds. */
const progressMs = 100;

export function serveWorkspacePull({ connection, documents, linter, effects, link }: Pulled): void {
  connection.languages.diagnostics.onWorkspace(async (_params, token, work, results) => {
    const items: WorkspaceDocumentDiagnosticReport[] = [];
    const report = (item: WorkspaceDocumentDiagnosticReport) => (results ? results.report({ items: [item] }) : items.push(item));
    let findings = 0;
    let last = 0;
    work.begin('Checking the workspace', 0, undefined, true);
    for (const document of documents.all()) {
      const found = await diagnosticsOf(document, linter, link);
      // Else what lies on disk could be taken for it.
      linter.tellNow(document);
      findings += found.length;
      report(reportOf(document.uri, document.version, found));
    }
    const notes = await effects.check({
      progress: (_file, done, total) => {
        if (performance.now() - last < progressMs) return;
        last = performance.now();
        work.report((done / Math.max(1, total)) * 100, `${done} of ${total} files, ${findings} finding${findings === 1 ? '' : 's'}`);
      },
      found: (file, each) => {
        findings += each.length;
        const uri = pathToFileURL(file).href;
        report(
          reportOf(
            uri,
            null,
            each.map((finding) => toDiagnostic(finding, uri, link)),
          ),
        );
      },
      onCancelled: (cancel) => {
        if (token.isCancellationRequested) cancel();
        token.onCancellationRequested(cancel);
      },
    });
    work.done();
    for (const note of notes) connection.console.warn(note);
    return { items };
  });
}

function reportOf(uri: string, version: number | null, items: ReturnType<typeof toDiagnostic>[]): WorkspaceDocumentDiagnosticReport {
  return { kind: DocumentDiagnosticReportKind.Full, uri, version, items };
}
