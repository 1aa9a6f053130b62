// Suppressions that are superfluous, misspelt, half of a block or without a reason.
import { names } from '../config/levels';
import type { Span } from '../facts/index';
import { nearestOf } from '../nearest';
import type { Edit, RawFinding } from '../rules/rule';
import { rule as unknownRule } from '../rules/suppression/unknown-rule';
import { rule as unused } from '../rules/suppression/unused';
import { rule as withoutReason } from '../rules/suppression/without-reason';
import type { SuppressionInput } from './apply';
import { aliasOf, checkOf } from './directive';
import type { Suppression } from './parse';

/** What became of one name in a suppression. Missed: the rule finds something at the line of the comment's twin. */
type State = 'used' | 'missed' | 'unused';

export function complaintsOf(suppression: Suppression, stateOf: (id: string) => State, input: SuppressionInput): RawFinding[] {
  const { ids } = suppression;
  const isUsed = (id: string) => stateOf(id) === 'used';
  const about = aboutComment(suppression, input.text);
  if (suppression.mistake || suppression.form === 'end') return about;
  for (const id of ids) about.push(...aboutName(suppression, id, stateOf(id), !ids.some(isUsed), input));
  return [...about, ...aboutReason(suppression, ids.filter(isUsed), input.text)];
}

function aboutComment(suppression: Suppression, text: string): RawFinding[] {
  const { span: at, ids, form, mistake, end } = suppression;
  if (mistake) {
    const { written, meant } = mistake;
    const edit = meant === undefined ? undefined : replacement(suppression, written, meant, text);
    return [unknownRule.finding({ at, data: { kind: 'form', written, meant, edit } })];
  }
  if (form === 'end') return [unknownRule.finding({ at, data: { kind: 'end' } })];
  const found: RawFinding[] = [];
  if (ids.length === 0) found.push(unknownRule.finding({ at, data: { kind: 'nameless' } }));
  if (form === 'begin' && !end) found.push(unknownRule.finding({ at, data: { kind: 'begin' } }));
  return found;
}

function aboutName(suppression: Suppression, id: string, state: State, isIdle: boolean, input: SuppressionInput): RawFinding[] {
  const { span: at } = suppression;
  const meant = input.known.filter((each) => names(id, each));
  if (meant.length === 0) {
    const close = nearestOf(id, input.known);
    const written = spelling(suppression, id);
    const right = close !== undefined && suppression.checks ? checkOf(close) : close;
    const edit = right === undefined ? undefined : replacement(suppression, written, right, input.text);
    return [unknownRule.finding({ at, data: { kind: 'name', written, meant: right, edit } })];
  }
  if (state === 'used' || !meant.every((each) => input.ran.has(each)) || !isActive(suppression, input)) return [];
  const { twin } = suppression;
  if (state === 'missed' && twin) {
    const edit = isIdle ? replacement(suppression, twin.written, twin.meant, input.text) : undefined;
    return [unused.finding({ at, data: { kind: 'misplaced', id, written: twin.written, meant: twin.meant, edit } })];
  }
  const kind = meant.every((each) => each.startsWith('suppression/')) ? 'own' : 'idle';
  return [unused.finding({ at, data: { kind, id, edits: removal(suppression, id, input.text) } })];
}

function aboutReason(suppression: Suppression, ids: readonly string[], text: string): RawFinding[] {
  const { span: at, reason, loose } = suppression;
  if (reason !== '' || ids.length === 0) return [];
  const edit = loose === '' ? undefined : replacement(suppression, loose, `-- ${loose.replace(/^[-:\u2013\u2014]+\s*/, '')}`, text);
  return [withoutReason.finding({ at, data: { ids, edit } })];
}

/** Some arm has the comment; what no arm sees could not be found there. */
function isActive({ span }: Suppression, { facts }: SuppressionInput): boolean {
  return facts.some((file) => file.text.slice(span.start, span.end).trim() !== '');
}

/** As the comment names a rule. */
function spelling({ checks }: Suppression, id: string): string {
  return checks?.find((check) => aliasOf(check) === id) ?? id;
}

/** The comment goes, with the end of its block; of several names, be they those of another tool, only one goes. */
function removal(suppression: Suppression, id: string, text: string): Edit[] {
  const { span, end, ids, checks } = suppression;
  if ((checks ?? ids).length > 1) return idRemoval(span, spelling(suppression, id), text);
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
