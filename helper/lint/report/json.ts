import type { Finding } from '../engine';

/** What was not judged: a file, or one function of it. */
export interface Skipped {
  readonly file: string;
  readonly function?: string;
  /** Where the function is, from 1. */
  readonly line?: number;
  /** Half a sentence: "it is a binary file, not source text". */
  readonly reason: string;
}

/** The JSON report: lines and columns from 1, end exclusive. */
export function jsonReport(findings: readonly Finding[], skipped: readonly Skipped[]): string {
  const shown = findings.map(({ ruleId, severity, message, file, line, column, endLine, endColumn, related }) => ({
    ruleId,
    severity,
    message,
    file,
    line,
    column,
    endLine,
    endColumn,
    related: related.map((each) => ({ message: each.message, file: each.file, line: each.line })),
  }));
  return `${JSON.stringify({ version: 1, findings: shown, skipped }, null, 2)}\n`;
}
