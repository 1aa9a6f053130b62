// Takes suppressed findings out, and has the suppressions themselves looked at.
import { names } from '../config/levels';
import type { FileFacts } from '../facts/index';
import { nearestOf } from '../nearest';
import type { RawFinding } from '../rules/rule';
import type { LineIndex } from '../text/lines';
import type { Comments } from './comments';
import { complaintsOf } from './complaints';
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
  const missed = new Set<string>();
  const kept: RawFinding[] = [];
  const suppressed: Suppressed[] = [];
  for (const finding of findings) {
    const lines = linesOf(finding, input.lines);
    const hits = hitsOf(suppressions, (each) => covers(each, lines));
    const own = hits.filter(({ each, id }) => !each.mistake && names(id, finding.ruleId));
    for (const { id, i } of own) used.add(`${i} ${id}`);
    if (own.length > 0) suppressed.push({ finding, reason: own[0]!.each.reason });
    if (own.length > 0) continue;
    const near = hitsOf(suppressions, (each) => isMeantFor(each, lines)).filter(({ id }) => names(id, finding.ruleId));
    for (const { id, i } of near) missed.add(`${i} ${id}`);
    const isExcused = near.length > 0 || hits.some((hit) => isMeant(hit, finding.ruleId, input.known));
    kept.push(isExcused ? { ...finding, fix: () => undefined } : finding);
  }
  const stateOf = (i: number) => (id: string) => (used.has(`${i} ${id}`) ? 'used' : missed.has(`${i} ${id}`) ? 'missed' : 'unused');
  return { kept, suppressed, complaints: suppressions.flatMap((each, i) => complaintsOf(each, stateOf(i), input)) };
}

/** A misspelt comment, or name of the rule: its author wants the code to stay as it is. */
function isMeant({ each, id }: Hit, ruleId: string, known: readonly string[]): boolean {
  if (each.mistake && names(id, ruleId)) return true;
  return !known.some((each) => names(id, each)) && nearestOf(id, known) === ruleId;
}

interface Hit {
  readonly each: Suppression;
  readonly id: string;
  readonly i: number;
}

/** The ids of some suppressions. */
function hitsOf(suppressions: readonly Suppression[], isOne: (each: Suppression) => boolean): Hit[] {
  const hits: Hit[] = [];
  suppressions.forEach((each, i) => {
    if (isOne(each)) for (const id of each.ids) hits.push({ each, id, i });
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

/** It would cover them, were it its twin. */
function isMeantFor(each: Suppression, lines: Lines): boolean {
  const { twin } = each;
  if (!twin) return false;
  return covers({ ...each, form: each.form === 'line' ? 'next-line' : 'line', from: twin.line, to: twin.line }, lines);
}

/** A comment for its line may trail a statement of several lines. */
function covers({ form, from, to }: Suppression, { first, last }: Lines): boolean {
  if (form === 'end') return false;
  return (first >= from && first <= to) || (form === 'line' && first < from && last >= from);
}
