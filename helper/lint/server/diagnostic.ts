import { type Diagnostic, DiagnosticSeverity, type Range as LspRange } from 'vscode-languageserver/node';
import type { Finding, Range } from '../engine';
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

export function toRange({ line, column, endLine, endColumn }: Range): LspRange {
  return { start: { line: line - 1, character: column - 1 }, end: { line: endLine - 1, character: endColumn - 1 } };
}
