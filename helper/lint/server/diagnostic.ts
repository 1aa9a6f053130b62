import { type Diagnostic, DiagnosticSeverity, type Range as LspRange } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Finding, Range } from '../engine';
import type { DocumentLinter } from './document-linter';
import type { RuleLink } from './rule-link';

const severities = { error: DiagnosticSeverity.Error, warning: DiagnosticSeverity.Warning, info: DiagnosticSeverity.Information } as const;

export function toDiagnostic(finding: Finding, uri: string, link: RuleLink): Diagnostic {
  return {
    range: toRange(finding),
    severity: severities[finding.severity],
    source: 'seamscope',
    code: finding.ruleId,
    codeDescription: { href: link(finding.ruleId) },
    message: finding.message,
    relatedInformation: finding.related.map((each) => ({ message: each.message, location: { uri, range: toRange(each) } })),
  };
}

/** The findings of a document's present version, and a note at its beginning when it is not checked. */
export async function diagnosticsOf(document: TextDocument, linter: DocumentLinter, link: RuleLink): Promise<Diagnostic[]> {
  const found = (await linter.findingsOf(document)).map((finding) => toDiagnostic(finding, document.uri, link));
  const problem = linter.problemOf(document);
  return problem === undefined ? found : [note(`Seamscope does not check this file: ${problem}.`), ...found];
}

function note(message: string): Diagnostic {
  const start = { line: 0, character: 0 };
  return { range: { start, end: start }, severity: DiagnosticSeverity.Information, source: 'seamscope', message };
}

export function toRange({ line, column, endLine, endColumn }: Range): LspRange {
  return { start: { line: line - 1, character: column - 1 }, end: { line: endLine - 1, character: endColumn - 1 } };
}
