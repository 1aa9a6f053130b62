// An identity of findings that survives moved lines: rule, function, the code as written without blanks, and its ordinal among equals.
import type { Finding } from '../engine';
import { LineIndex } from '../text/lines';

/** One 16-digit hexadecimal number a finding; `findings` are those of one text, in order. */
export function fingerprintsOf(findings: readonly Finding[], text: string): string[] {
  const lines = new LineIndex(text);
  const seen = new Map<string, number>();
  return findings.map((finding) => {
    const key = [finding.ruleId, finding.scope, codeOf(finding, lines)].join('\n');
    const ordinal = seen.get(key) ?? 0;
    seen.set(key, ordinal + 1);
    return hash(`${key}\n${ordinal}`);
  });
}

function codeOf({ line, column, endLine, endColumn }: Finding, lines: LineIndex): string {
  const last = Math.min(endLine, line + 20);
  const parts: string[] = [];
  for (let at = line; at <= last; at++) {
    const text = lines.line(at);
    parts.push(text.slice(at === line ? column - 1 : 0, at === endLine ? endColumn - 1 : text.length));
  }
  return parts.join(' ').replace(/\s+/g, '');
}

/** FNV-1a over UTF-16 code units, 64 bits. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (let i = 0; i < text.length; i++) value = BigInt.asUintN(64, (value ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n);
  return value.toString(16).padStart(16, '0');
}
