// Edits that move statements. A comment on the line of a statement, or directly above it, belongs to it and goes along.
import type { Assign, Event, FileFacts, Span, Token } from '../facts/index';
import { afterLine, appendStatement, isComment, removeStatement } from './edits';
import { type Edit, type Located, spanOf } from './rule';
import { indentAt, isBracelessBody, lineEnd, lineStart, statementEnd, statementStart } from './statements';

/** Takes statements away and puts them, in their order, before the statement that contains `target`, and before its comment. */
export function moveBefore(file: FileFacts, target: Located, moved: readonly Located[]): readonly Edit[] | undefined {
  const taken = moved.map((each) => takeAway(file, each));
  const start = statementStart(file, target);
  if (start === undefined || isBracelessBody(file, { start, end: start }) || !taken.every(isTaken)) return undefined;
  if (!moved.every((each) => isStraight(file, spanOf(target).start, each))) return undefined;
  const indent = indentAt(file.text, start);
  const line = lineStart(file.text, start);
  const isFirst = line + indent.length === start;
  const lines = taken.map((each) => `${linesOf(each, indent)}\n`).join('');
  const inline = taken.some(hasComments) ? `\n${lines}${indent}` : taken.map(({ statement }) => `${statement} `).join('');
  const at = isFirst ? commentStart(file, line) : start;
  return [{ span: { start: at, end: at }, text: isFirst ? lines : inline }, ...taken.map(({ edit }) => edit)];
}

/** Nothing lies between a place and a statement that reads or decides what the statement does: no value that it uses, no block, no arm. */
function isStraight(file: FileFacts, from: number, moved: Located): boolean {
  const { start, end } = spanOf(moved);
  const isBetween = (span: Span) => span.start >= from && span.start < start;
  const words = new Set(file.tokens.filter(({ kind, span }) => kind === 'word' && span.start >= start && span.start < end).map(({ text }) => text));
  const changes = (event: Event) => event.kind === 'assign' && isBetween(event.span) && wordsOf(file, event).some((word) => words.has(word));
  if (file.functions.some((fn) => fn.span.start <= from && fn.span.end >= end && fn.events.some(changes))) return false;
  if (file.language === 'python') return true;
  const isBrace = ({ text, span }: Token) => /^[{}]$/.test(text) && isBetween(span);
  return !file.tokens.some(isBrace) && !hasDirective(file, from, end);
}

/** Of a directive the text keeps the blanks. */
function hasDirective({ text }: FileFacts, from: number, end: number): boolean {
  return /^[ \t]{4,}\r?$|\\\r?$/m.test(text.slice(lineStart(text, from), end));
}

/** What gets a value, or is made: `a_`, `this` and `b` of `this->a_[b] =`. */
function wordsOf(file: FileFacts, { declares, target }: Assign): readonly string[] {
  return [declares?.name ?? '', ...(file.source(target).match(/[\w$]+/g) ?? [])];
}

/** Moves one declaration behind another. Undefined where one of them declares several things, or has no room for its comments. */
export function moveBehind(file: FileFacts, moved: Located, target: Located): readonly Edit[] | undefined {
  const start = statementStart(file, moved);
  if (start === undefined || statementStart(file, target) === undefined) return undefined;
  const span = { start, end: statementEnd(file, moved) };
  const taken = takeAway(file, span);
  const added = appendStatement(file, target, taken.statement);
  if (!isTaken(taken) || !added || hasDirective(file, start, added.span.start) || /,(?![^<({]*[>)}])/.test(file.source(span))) return undefined;
  if (!hasComments(taken)) return [taken.edit, added];
  return added.text.startsWith('\n') ? [taken.edit, { ...added, text: `\n${linesOf(taken, indentAt(file.text, spanOf(target).start))}` }] : undefined;
}

/** Takes a statement away that becomes a part of the one at `into`: its comments come above and behind that one. */
export function takeInto(file: FileFacts, moved: Located, into: Located): readonly Edit[] | undefined {
  const taken = takeAway(file, moved);
  if (!isTaken(taken)) return undefined;
  const { start } = spanOf(into);
  const line = lineStart(file.text, start);
  const end = statementEnd(file, into);
  const last = lineEnd(file.text, end);
  const hasRoom = file.text.slice(line, start).trim() === '' && isComment(file.text.slice(end, last));
  if (hasComments(taken) && !hasRoom) return undefined;
  const comments = [
    { span: { start: line, end: line }, text: taken.above },
    { span: { start: last, end: last }, text: taken.behind.trimEnd() },
  ];
  return [...comments.filter(({ text }) => text !== ''), taken.edit];
}

interface Taken {
  readonly edit: Edit;
  readonly statement: string;
  /** Whole lines. */
  readonly above: string;
  /** The rest of its line. */
  readonly behind: string;
}

function takeAway(file: FileFacts, at: Located): Omit<Taken, 'edit'> & { readonly edit: Edit | undefined } {
  const { text } = file;
  const { start } = spanOf(at);
  const edit = isOpenedFor(text, start) ? undefined : removeStatement(file, at);
  const end = statementEnd(file, at);
  const statement = text.slice(start, end);
  const line = lineStart(text, start);
  const last = lineEnd(text, end);
  if (edit?.span.start !== line || !isComment(text.slice(end, last))) return { edit, statement, above: '', behind: '' };
  const first = commentStart(file, line);
  const span = { start: first, end: afterLine(text, last) };
  return { edit: { span, text: '' }, statement, above: text.slice(first, line), behind: text.slice(end, last) };
}

function isTaken(taken: ReturnType<typeof takeAway>): taken is Taken {
  return taken.edit !== undefined;
}

function hasComments({ above, behind }: Taken): boolean {
  return above !== '' || behind.trim() !== '';
}

function linesOf({ above, statement, behind }: Taken, indent: string): string {
  return `${above}${indent}${statement}${behind}`;
}

/** Headings and marks that open or close something are about more than the next statement. */
const notOfOne = /^\S+\s*([-=*#/~]{3,}|#?(end)?region|clang-format|fmt:|pylint:|seamscope-disable-(begin|end|file)|NOLINT(BEGIN|END)|LINT)/;

/** The line above begins something that would stay behind: `// clang-format off`. */
function isOpenedFor(text: string, start: number): boolean {
  const line = lineStart(text, start);
  return /(clang-format|fmt:) *off|disable-begin|NOLINTBEGIN/.test(text.slice(lineStart(text, line - 1), line));
}

/** Where the comments begin that stand directly above the line that begins at `line`; `line` itself where none do. */
function commentStart({ text, language }: FileFacts, line: number): number {
  let start = line;
  while (start > 0) {
    const above = language === 'python' ? lineComment(text, start, '#') : (lineComment(text, start, '//') ?? blockComment(text, start));
    if (above === undefined) break;
    start = above;
  }
  return start;
}

function lineComment(text: string, below: number, mark: string): number | undefined {
  const start = lineStart(text, below - 1);
  const line = text.slice(start, below).trim();
  return line.startsWith(mark) && !notOfOne.test(line) ? start : undefined;
}

/** A comment of its own lines. */
function blockComment(text: string, below: number): number | undefined {
  if (
    !text
      .slice(lineStart(text, below - 1), below)
      .trimEnd()
      .endsWith('*/')
  )
    return undefined;
  const open = text.lastIndexOf('/*', below);
  const start = lineStart(text, open);
  const isOwn = open >= 0 && text.slice(start, open).trim() === '' && text.indexOf('*/', open) === text.lastIndexOf('*/', below);
  return isOwn && !notOfOne.test(text.slice(open, below)) ? start : undefined;
}
