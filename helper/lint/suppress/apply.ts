// Takes suppressed findings out, and reports suppressions that are superfluous, misspelt or without a reason.
import { names } from '../config/levels';
import type { FileFacts, Span } from '../facts/index';
import { nearestOf } from '../nearest';
import type { Edit, RawFinding } from '../rules/rule';
import { rule as unknownRule } from '../rules/suppression/unknown-rule';
import { rule as unused } from '../rules/suppression/unused';
import { rule as withoutReason } from '../rules/suppression/without-reason';
import type { LineIndex } from '../text/lines';
import type { Comments } from './comments';
import { type Suppression, suppressionsOf } from './parse';

export interface SuppressionInput {
  readonly text: string;
  readonly lines: LineIndex;
  readonly comments: Comments;
  readonly facts: readonly FileFacts[];
  /** Every rule there is. */
  readonly known: readonly string[];
  /** Those that ran to their end on this file. */
  readonly ran: ReadonlySet<string>;
}

export interface Suppressed {
  readonly finding: RawFinding;
  readonly reason: string;
}

export interface SuppressionOutcome {
  readonly kept: RawFinding[];
  readonly suppressed: Suppressed[];
  /** About the suppressions themselves. */
  readonly complaints: RawFinding[];
}

export function applySuppressions(findings: readonly RawFinding[], input: SuppressionInput): SuppressionOutcome {
  const suppressions = suppressionsOf(input.text, input.lines, input.comments);
  const used = new Set<string>();
  const kept: RawFinding[] = [];
  const suppressed: Suppressed[] = [];
  for (const finding of findings) {
    const hits = hitsOf(suppressions, linesOf(finding, input.lines));
    const own = hits.filter(({ id }) => names(id, finding.ruleId));
    for (const { id, i } of own) used.add(`${i} ${id}`);
    if (own.length > 0) suppressed.push({ finding, reason: own[0]!.each.reason });
    else kept.push(hits.some(({ id }) => isMeant(id, finding.ruleId, input.known)) ? { ...finding, fix: () => undefined } : finding);
  }
  return { kept, suppressed, complaints: suppressions.flatMap((each, i) => complaintsOf(each, (id) => used.has(`${i} ${id}`), input)) };
}

/** A misspelt name of the rule: its author wants the code to stay as it is. */
function isMeant(id: string, ruleId: string, known: readonly string[]): boolean {
  return !known.some((each) => names(id, each)) && nearestOf(id, known) === ruleId;
}

interface Hit {
  readonly each: Suppression;
  readonly id: string;
  readonly i: number;
}

/** The ids of the suppressions that reach over a finding. */
function hitsOf(suppressions: readonly Suppression[], lines: Lines): Hit[] {
  const hits: Hit[] = [];
  suppressions.forEach((each, i) => {
    if (covers(each, lines)) for (const id of each.ids) hits.push({ each, id, i });
  });
  return hits;
}

/** Those that a finding begins and ends on. */
interface Lines {
  readonly first: number;
  readonly last: number;
}

function linesOf({ span }: RawFinding, lines: LineIndex): Lines {
  return { first: lines.at(span.start).line, last: lines.at(span.end).line };
}

function covers({ from, to, trails }: Suppression, { first, last }: Lines): boolean {
  return (first >= from && first <= to) || (trails && first < from && last >= from);
}

function complaintsOf(suppression: Suppression, isUsed: (id: string) => boolean, input: SuppressionInput): RawFinding[] {
  const { span, ids, reason } = suppression;
  const found: RawFinding[] = [];
  if (ids.length === 0) found.push(unknownRule.finding({ at: span, data: { written: undefined, meant: undefined, edit: undefined } }));
  for (const id of ids) {
    const meant = input.known.filter((each) => names(id, each));
    if (meant.length === 0) {
      const close = nearestOf(id, input.known);
      const edit = close === undefined ? undefined : replacement(suppression, id, close, input.text);
      found.push(unknownRule.finding({ at: span, data: { written: id, meant: close, edit } }));
    } else if (!isUsed(id) && meant.every((each) => input.ran.has(each)) && isActive(suppression, input)) {
      found.push(unused.finding({ at: span, data: { id, edits: removal(suppression, id, input.text) } }));
    }
  }
  if (reason === '' && ids.some(isUsed)) found.push(withoutReason.finding({ at: span, data: { ids: ids.filter(isUsed) } }));
  return found;
}

/** Some arm has the comment; what no arm sees could not be found there. */
function isActive({ span }: Suppression, { facts }: SuppressionInput): boolean {
  return facts.some((file) => file.text.slice(span.start, span.end).trim() !== '');
}

/** The comment goes, with the end of its block; of several ids only one goes. */
function removal({ span, end, ids }: Suppression, id: string, text: string): Edit[] {
  if (ids.length > 1) return idRemoval(span, id, text);
  return [span, ...(end ? [end] : [])].map((each) => commentRemoval(each, text));
}

function idRemoval({ start, end }: Span, id: string, text: string): Edit[] {
  const at = text.indexOf(id, start);
  if (at < 0 || at >= end) return [];
  const behind = /^[ \t]*,[ \t]*/.exec(text.slice(at + id.length, end));
  const before = /[\s,]*$/.exec(text.slice(start, at))![0].length;
  return [{ span: behind ? { start: at, end: at + id.length + behind[0].length } : { start: at - before, end: at + id.length }, text: '' }];
}

/** With its line when it is alone there. */
function commentRemoval(span: Span, text: string): Edit {
  let { start } = span;
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start--;
  const rest = text.slice(span.end, lineEndAt(text, span.end));
  const isAlone = (start === 0 || text[start - 1] === '\n') && rest.trim() === '';
  const after = isAlone ? rest.length : 0;
  return { span: { start, end: span.end + after }, text: '' };
}

/** Behind the line break. */
function lineEndAt(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

function replacement({ span }: Suppression, id: string, by: string, text: string): Edit | undefined {
  const at = text.indexOf(id, span.start);
  return at >= 0 && at < span.end ? { span: { start: at, end: at + id.length }, text: by } : undefined;
}
