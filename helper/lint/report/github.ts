// Workflow commands of GitHub Actions: one annotation a finding.
import type { Finding } from '../engine';

const levels = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** `file` is the path relative to the repository. */
export function githubReport(findings: readonly Finding[], file: string): string {
  return findings.map((finding) => annotation(finding, file)).join('');
}

function annotation({ severity, ruleId, message, line, column, endLine, endColumn, related }: Finding, file: string): string {
  // Columns of several lines mean nothing there.
  const place = endLine === line ? { line, col: column, endColumn } : { line, endLine };
  const properties = { file, ...place, title: ruleId };
  const list = Object.entries(properties).map(([key, value]) => `${key}=${escaped(String(value)).replace(/:/g, '%3A').replace(/,/g, '%2C')}`);
  const places = related.map((each) => `${each.message} (line ${each.line})`);
  return `::${levels[severity]} ${list.join(',')}::${escaped([message, ...places].join('\n'))}\n`;
}

function escaped(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');
}
