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
  /** A `NOLINT` for whichever tool reads it. It suppresses nothing here: nobody says what it excuses, nor why. */
  readonly isBare: boolean;
}

interface Directive {
  readonly form: 'next-line' | 'line' | 'file' | 'begin' | 'end';
  readonly ids: readonly string[];
  readonly reason: string;
  readonly isBare: boolean;
}

/** A quick look: files without are not scanned. */
export function maySuppress(text: string): boolean {
  return text.includes('seamscope-');
}

/** Where there are findings, this may say something about them too. */
export function mayBeMeantToSuppress(text: string): boolean {
  return text.includes('NOLINT');
}

export function suppressionsOf(text: string, lines: LineIndex, comments: Comments): Suppression[] {
  const found = comments.marked.flatMap((comment) => {
    const directive = parse(comment.body);
    return directive ? [{ comment, directive }] : [];
  });
  const isAloneOn = (line: number) => comments.between(lines.startOf(line), lines.startOf(line + 1)).some((comment) => isAlone(comment, text));
  return found.flatMap(({ comment, directive }, i) => {
    if (directive.form === 'end') return [];
    const later = found.slice(i + 1);
    const end = directive.form === 'begin' ? later.find((each) => each.directive.form === 'end' && closes(each.directive, directive)) : undefined;
    const place = placeOf(directive.form, comment, end?.comment, { lines, isAloneOn });
    const { form, ids, reason, isBare } = directive;
    return [{ span: comment.span, ids, reason, isBare, trails: form === 'line', end: end?.comment.span, ...place }];
  });
}

function closes(end: Directive, begin: Directive): boolean {
  if (end.isBare || begin.isBare) return end.isBare && begin.isBare;
  return end.ids.length === 0 || end.ids.some((id) => begin.ids.includes(id));
}

interface Places {
  readonly lines: LineIndex;
  /** The line has a comment and nothing else. */
  isAloneOn(line: number): boolean;
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

/** Further comments and blank lines may stand between a comment and its code. */
function nextCodeLine(from: number, { lines, isAloneOn }: Places): number {
  for (let line = from; line <= lines.count; line++) if (lines.line(line).trim() !== '' && !isAloneOn(line)) return line;
  return from;
}

function isAlone({ span }: Comment, text: string): boolean {
  const before = text.slice(text.lastIndexOf('\n', span.start - 1) + 1, span.start);
  return before.trim() === '' && /^[ \t\r]*(\n|$)/.test(text.slice(span.end, span.end + 200)) && !text.slice(span.start, span.end).includes('\n');
}

function parse(body: string): Directive | undefined {
  const own = /^seamscope-disable-(next-line|line|file|begin|end)\b([\s\S]*)$/.exec(body);
  if (own) {
    const [names, ...reason] = own[2]!.split(/(?:^|\s)--(?:\s|$)/);
    return { form: own[1] as Directive['form'], ids: names!.split(/[\s,]+/).filter(Boolean), reason: reasonOf(reason.join(' -- ')), isBare: false };
  }
  const lint = /\bNOLINT(NEXTLINE|BEGIN|END)?(?:\(([^)]*)\)[ \t]*:?[ \t]*(?:--)?([\s\S]*)|(?![\w(])[\s\S]*)$/.exec(body);
  if (!lint) return undefined;
  const checks = lint[2]?.split(',').map((check) => check.trim()) ?? ['*'];
  const ids = checks.flatMap((check) => aliasOf(check) ?? []);
  const isBare = ids.length === 0 && checks.includes('*');
  if (ids.length === 0 && !isBare) return undefined;
  const forms = { NEXTLINE: 'next-line', BEGIN: 'begin', END: 'end' } as const;
  return { form: lint[1] ? forms[lint[1] as keyof typeof forms] : 'line', ids, reason: reasonOf(lint[3] ?? ''), isBare };
}

/** `seamscope-fd-leak`, `seamscope-fd/leak`, `seamscope-fd-*` and `seamscope-*`; families have no dash in their name. */
function aliasOf(check: string): string | undefined {
  const name = /^seamscope-(.+)$/.exec(check)?.[1];
  return name === '*' || check === 'seamscope*' ? '*' : name?.includes('/') ? name : name?.replace('-', '/');
}

/** The NOLINT of the same form that is taken for a rule. */
export function namedNolint(comment: string, ruleId: string): string {
  const form = /\bNOLINT(?:NEXTLINE|BEGIN|END)?/.exec(comment)![0];
  return `${form}(seamscope-${ruleId.replace('/', '-')}): reason`;
}

/** What stands in angle brackets waits to be written. */
function reasonOf(text: string): string {
  const trimmed = text.trim();
  return /^<[^>]*>$/.test(trimmed) ? '' : trimmed;
}
