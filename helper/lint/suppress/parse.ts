// Suppression comments: `seamscope-disable-next-line fd/leak -- reason` and the NOLINT spelling that C++ users have.
import type { Span } from '../facts/index';
import type { LineIndex } from '../text/lines';
import type { Comment, Comments } from './comments';

export interface Suppression {
  /** Of the comment. */
  readonly span: Span;
  /** As written: `fd/leak`, `fd/*` or `*`. */
  readonly ids: readonly string[];
  readonly reason: string;
  /** Lines from 1, both included, that findings must start on. */
  readonly from: number;
  readonly to: number;
  /** The comment that ends a block. */
  readonly end: Span | undefined;
  /** Also findings that end on `from`: the comment trails a statement of several lines. */
  readonly trails: boolean;
}

interface Directive {
  readonly form: 'next-line' | 'line' | 'file' | 'begin' | 'end';
  readonly ids: readonly string[];
  readonly reason: string;
}

/** A quick look: files without are not scanned. */
export function maySuppress(text: string): boolean {
  return text.includes('seamscope-') || text.includes('seamscope*');
}

export function suppressionsOf(text: string, lines: LineIndex, comments: Comments): Suppression[] {
  const found = comments.marked.flatMap((comment) => {
    const directive = parse(comment.body);
    return directive ? [{ comment, directive }] : [];
  });
  return found.flatMap(({ comment, directive }, i) => {
    if (directive.form === 'end') return [];
    const later = found.slice(i + 1);
    const end = directive.form === 'begin' ? later.find((each) => each.directive.form === 'end' && closes(each.directive, directive)) : undefined;
    const place = placeOf(directive.form, comment, end?.comment, { text, lines, comments });
    return [
      { span: comment.span, ids: directive.ids, reason: directive.reason, trails: directive.form === 'line', end: end?.comment.span, ...place },
    ];
  });
}

function closes(end: Directive, begin: Directive): boolean {
  return end.ids.length === 0 || end.ids.some((id) => begin.ids.includes(id));
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
  if (form === 'line') return { from: first, to: first };
  const next = nextCodeLine(lines.at(comment.span.end).line + 1, places);
  return { from: next, to: next };
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

function parse(body: string): Directive | undefined {
  const own = /^seamscope-disable-(next-line|line|file|begin|end)\b([\s\S]*)$/.exec(body);
  if (own) {
    const [names, ...reason] = own[2]!.split(/(?:^|\s)--(?:\s|$)/);
    return { form: own[1] as Directive['form'], ids: names!.split(/[\s,]+/).filter(Boolean), reason: reasonOf(reason.join(' -- ')) };
  }
  const lint = /\bNOLINT(NEXTLINE|BEGIN|END)?\(([^)]*)\)[ \t]*:?[ \t]*(?:--)?([\s\S]*)$/.exec(body);
  if (!lint) return undefined;
  const ids = lint[2]!.split(',').flatMap((check) => aliasOf(check.trim()) ?? []);
  if (ids.length === 0) return undefined;
  const forms = { NEXTLINE: 'next-line', BEGIN: 'begin', END: 'end' } as const;
  return { form: lint[1] ? forms[lint[1] as keyof typeof forms] : 'line', ids, reason: reasonOf(lint[3]!) };
}

/** `seamscope-fd-leak`, `seamscope-fd/leak`, `seamscope-fd-*` and `seamscope-*`; families have no dash in their name. */
function aliasOf(check: string): string | undefined {
  const name = /^seamscope-(.+)$/.exec(check)?.[1];
  return name === '*' || check === 'seamscope*' ? '*' : name?.includes('/') ? name : name?.replace('-', '/');
}

/** What stands in angle brackets waits to be written. */
function reasonOf(text: string): string {
  const trimmed = text.trim();
  return /^<[^>]*>$/.test(trimmed) ? '' : trimmed;
}
