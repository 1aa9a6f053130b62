// Suppression comments of a text, with the lines that they cover.
import type { Span } from '../facts/index';
import type { LineIndex } from '../text/lines';
import type { Comment, Comments } from './comments';
import { type Directive, directiveOf } from './directive';

export interface Suppression extends Directive {
  /** Of the comment. */
  readonly span: Span;
  /** Lines from 1, both included, that findings must start on. */
  readonly from: number;
  readonly to: number;
  /** The comment that ends a block. */
  readonly end: Span | undefined;
  /** The comment that it may have been meant to be. */
  readonly twin: Twin | undefined;
}

/** Of the two comments that reach one line, the one that was not written. */
export interface Twin {
  readonly written: string;
  readonly meant: string;
  /** That it would reach. */
  readonly line: number;
}

/** A quick look: files without are not scanned. */
export function maySuppress(text: string): boolean {
  return /seamscope(?:[-*]|_disable)/i.test(text);
}

interface Found {
  readonly comment: Comment;
  readonly directive: Directive;
}

/** With the ends of blocks that no comment begins; other ends belong to their begin. */
export function suppressionsOf(text: string, lines: LineIndex, comments: Comments): Suppression[] {
  const found = comments.marked.flatMap((comment) => {
    const directive = directiveOf(comment.body);
    return directive ? [{ comment, directive }] : [];
  });
  const ends = new Map(found.map((each, i) => [each, each.directive.form === 'begin' ? endOf(each, found.slice(i + 1)) : undefined]));
  const paired = new Set(ends.values());
  return found.flatMap((each) => {
    if (paired.has(each) && !each.directive.mistake) return [];
    const { comment, directive } = each;
    const end = ends.get(each)?.comment;
    const places = { text, lines, comments };
    return [{ ...directive, span: comment.span, end: end?.span, twin: twinOf(each, places), ...placeOf(directive.form, comment, end, places) }];
  });
}

function endOf({ directive: { ids } }: Found, later: readonly Found[]): Found | undefined {
  return later.find(({ directive: { form, ids: own } }) => form === 'end' && (own.length === 0 || own.some((id) => ids.includes(id))));
}

export interface Places {
  readonly text: string;
  readonly lines: LineIndex;
  readonly comments: Comments;
}

function placeOf(form: Directive['form'], comment: Comment, end: Comment | undefined, places: Places): { from: number; to: number } {
  const { lines } = places;
  const first = lines.at(comment.span.start).line;
  if (form === 'file') return { from: 1, to: lines.count };
  if (form === 'begin') return { from: first, to: end ? lines.at(end.span.start).line : lines.count };
  if (form === 'line' || form === 'end') return { from: first, to: first };
  const next = nextCodeLine(lines.at(comment.span.end).line + 1, places);
  return { from: next, to: next };
}

/** A comment for the next line that trails its code, or one for its own line that stands above it. */
function twinOf({ comment, directive: { form, checks } }: Found, places: Places): Twin | undefined {
  const words = checks ? ['NOLINT', 'NOLINTNEXTLINE'] : ['seamscope-disable-line', 'seamscope-disable-next-line'];
  const [line, nextLine] = words as [string, string];
  const { start, end } = comment.span;
  if (form === 'next-line') return { written: nextLine, meant: line, line: places.lines.at(start).line };
  if (form !== 'line' || !isAlone(comment, places.text)) return undefined;
  return { written: line, meant: nextLine, line: nextCodeLine(places.lines.at(end).line + 1, places) };
}

function nextCodeLine(from: number, places: Places): number {
  for (let line = from; line <= places.lines.count; line++) if (!hasNoCode(line, places)) return line;
  return from;
}

/** Blank lines and further comments may stand between a comment and its code. */
export function hasNoCode(line: number, { text, lines, comments }: Places): boolean {
  if (lines.line(line).trim() === '') return true;
  return comments.between(lines.startOf(line), lines.startOf(line + 1)).some((comment) => isAlone(comment, text));
}

function isAlone({ span }: Comment, text: string): boolean {
  const before = text.slice(text.lastIndexOf('\n', span.start - 1) + 1, span.start);
  return before.trim() === '' && /^[ \t\r]*(\n|$)/.test(text.slice(span.end, span.end + 200)) && !text.slice(span.start, span.end).includes('\n');
}
