import type { Finding } from '../engine';
import { LineIndex } from '../text/lines';
import { pictured, visible, visibleName } from './visible';

const colours = { error: 31, warning: 33, info: 36 } as const;

/** Findings of one file for people: place, message, the source line with carets, the other places. */
export function textReport(findings: readonly Finding[], source: string, colour: boolean): string {
  const lines = new LineIndex(source);
  const paint = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return findings.map((finding) => entry(finding, lines, paint)).join('\n');
}

function entry(finding: Finding, lines: LineIndex, paint: (code: number, text: string) => string): string {
  const { line, column, severity, ruleId } = finding;
  const file = visibleName(finding.file);
  const message = visible(finding.message);
  const head = `${paint(1, `${file}:${line}:${column}`)}: ${paint(colours[severity], severity)}: ${message} [${ruleId}]`;
  const related = finding.related.map(
    (each) => `  ${visibleName(each.file)}:${each.line}:${each.column}: ${visible(each.message)}\n${excerpt(each, lines, 4)}`,
  );
  return [head, excerpt(finding, lines, 2), ...related, ''].join('\n');
}

interface Place {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** Longer lines are machine-made; a window around the place is enough. */
const maxWidth = 160;

function excerpt(place: Place, lines: LineIndex, indent: number): string {
  const text = pictured(lines.line(place.line).replace(/\t/g, ' '));
  const from = place.column > maxWidth ? place.column - 40 : 0;
  const shown = text.slice(from, from + maxWidth);
  const end = place.endLine === place.line ? place.endColumn : text.length + 1;
  const marked = text.slice(place.column - 1, Math.min(end - 1, from + maxWidth));
  const number = String(place.line);
  const pad = ' '.repeat(indent);
  const before = ' '.repeat(cellsOf(text.slice(from, place.column - 1)));
  return `${pad}${number} | ${shown}\n${pad}${' '.repeat(number.length)} | ${before}${'^'.repeat(Math.max(1, cellsOf(marked)))}`;
}

const wide = /^(?:[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation})/u;

/** How many cells of a terminal a text takes. */
function cellsOf(text: string): number {
  let cells = 0;
  for (const c of text) cells += c < '\u0300' ? 1 : /\p{Mn}/u.test(c) ? 0 : wide.test(c) ? 2 : 1;
  return cells;
}
