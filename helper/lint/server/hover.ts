// Hovering over a finding tells why it is a fault, from the page of its rule.
import { type Hover, MarkupKind, type Position } from 'vscode-languageserver/node';
import type { Finding } from '../engine';
import { toRange } from './diagnostic';
import type { RuleLink } from './rule-link';

export function hoverOf(
  findings: readonly Finding[],
  position: Position,
  page: (ruleId: string) => string | undefined,
  link: RuleLink,
): Hover | null {
  const here = findings.filter((finding) => contains(finding, position));
  const ids = [...new Set(here.map(({ ruleId }) => ruleId))];
  const texts = ids.flatMap((id) => {
    const why = section(page(id) ?? '', 'Why is this bad');
    return why === undefined ? [] : [`**[${id}](${link(id)})**\n\n${why}`];
  });
  if (texts.length === 0) return null;
  return { contents: { kind: MarkupKind.Markdown, value: texts.join('\n\n---\n\n') }, range: toRange(here[0]!) };
}

function contains(finding: Finding, { line, character }: Position): boolean {
  const { start, end } = toRange(finding);
  const afterStart = line > start.line || (line === start.line && character >= start.character);
  return afterStart && (line < end.line || (line === end.line && character <= end.character));
}

/** The text below a heading of the second level. */
function section(markdown: string, heading: string): string | undefined {
  const begin = markdown.indexOf(`## ${heading}\n`);
  if (begin < 0) return undefined;
  const rest = markdown.slice(begin + heading.length + 4);
  const end = rest.search(/^## /m);
  return (end < 0 ? rest : rest.slice(0, end)).trim();
}
