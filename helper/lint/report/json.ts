import type { Finding } from '../engine';

/** The JSON report: lines and columns from 1, end exclusive. */
export function jsonReport(findings: readonly Finding[]): string {
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
  return `${JSON.stringify({ version: 1, findings: shown }, null, 2)}\n`;
}
