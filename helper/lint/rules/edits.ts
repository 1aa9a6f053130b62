// Edits that fixes are made of. They read tokens and blanks around a place; a rule never does that itself.
import type { Call, Expr, FileFacts, Token } from '../facts/index';
import { type Edit, type Located, spanOf } from './rule';
import { indentAt, isBracelessBody, lineEnd, lineStart, opensControl, statementEnd, statementStart, tokenAt, tokenBefore } from './statements';

export function replace(at: Located, text: string): Edit {
  return { span: spanOf(at), text };
}

export function insertBefore(at: Located, text: string): Edit {
  const { start } = spanOf(at);
  return { span: { start, end: start }, text };
}

export function insertAfter(at: Located, text: string): Edit {
  const { end } = spanOf(at);
  return { span: { start: end, end }, text };
}

/** Takes a whole statement away, with its line when it is alone there. Undefined where an `if` or loop would lose its only body. */
export function removeStatement(file: FileFacts, at: Located): Edit | undefined {
  if (isBracelessBody(file, at) || isOnlyStatement(file, at) || isBesideComma(file, at)) return undefined;
  const span = { start: spanOf(at).start, end: statementEnd(file, at) };
  const from = lineStart(file.text, span.start);
  const to = lineEnd(file.text, span.end);
  const isAlone = file.text.slice(from, span.start).trim() === '' && isComment(file.text.slice(span.end, to));
  if (isAlone) return { span: { start: from, end: afterLine(file.text, to) }, text: '' };
  // One blank of two.
  const blank = /\s/.test(file.text[span.start - 1] ?? '') && file.text[span.end] === ' ' ? 1 : 0;
  return { span: { start: span.start, end: span.end + blank }, text: '' };
}

/** `f(), g();`: one of several expressions is no statement. */
function isBesideComma(file: FileFacts, at: Located): boolean {
  if (file.language === 'python') return false;
  const { start, end } = spanOf(at);
  return file.tokens[tokenBefore(file.tokens, start)]?.text === ',' || /^\s*,/.test(file.text.slice(end));
}

/** Puts statements before the one that begins at `at`; braces come around both where it is the bare body of an `if` or loop. */
export function insertStatement(file: FileFacts, at: Located, ...statements: string[]): Edit {
  const { start } = spanOf(at);
  if (isBracelessBody(file, at)) return inBraces(file, start, statementEnd(file, at), { before: statements });
  const indent = indentAt(file.text, start);
  const isFirst = lineStart(file.text, start) + indent.length === start;
  return { span: { start, end: start }, text: statements.map((each) => each + (isFirst ? `\n${indent}` : ' ')).join('') };
}

interface Added {
  readonly before?: readonly string[];
  readonly behind?: readonly string[];
}

/** The brace opens behind the head, before the comments between it and the body, and closes behind the comment on the body's line. */
function inBraces({ text, tokens }: FileFacts, start: number, end: number, { before = [], behind = [] }: Added): Edit {
  const head = tokenBefore(tokens, start);
  const from = tokens[head]!.span.end;
  const between = text.slice(from, start);
  const outer = indentAt(text, tokens[headStart(tokens, head)]!.span.start);
  const own = lineStart(text, start);
  const isFirst = from < own;
  const inner = isFirst ? indentAt(text, start) : outer + unitOf(text);
  const last = lineEnd(text, end);
  const to = isComment(text.slice(end, last)) ? last : end;
  const lines = [...before, text.slice(start, to), ...behind].join(`\n${inner}`);
  return { span: { start: from, end: to }, text: ` {${isFirst ? between : `${between.trimEnd()}\n${inner}`}${lines}\n${outer}}` };
}

/** Of `else` and `do` the token itself; before the parenthesis at `last` stands the word that opens the statement. */
function headStart(tokens: readonly Token[], last: number): number {
  let depth = 0;
  for (let i = last; i > 0; i--) {
    if (tokens[i]!.text === ')') depth++;
    if (tokens[i]!.text === '(') depth--;
    if (depth === 0) return tokens[i]!.text === '(' ? i - 1 : i;
  }
  return last;
}

/** Puts statements before the innermost one that contains `at`, in braces with it where it is a bare body. Undefined where that one is not clear. */
export function insertBeforeStatement(file: FileFacts, at: Located, ...statements: string[]): Edit | undefined {
  const start = statementStart(file, at);
  return start === undefined || isOpenBody(file, start) ? undefined : insertStatement(file, { start, end: start }, ...statements);
}

/** Puts a statement on a line of its own after the statement at `at`. */
export function appendStatement(file: FileFacts, at: Located, statement: string): Edit | undefined {
  const start = statementStart(file, at);
  if (start === undefined || isBracelessBody(file, { start, end: start }) || (file.language !== 'python' && opensControl(file, start)))
    return undefined;
  const own = statementEnd(file, at);
  const end = lineEnd(file.text, own);
  if (!isComment(file.text.slice(own, end))) return { span: { start: own, end: own }, text: ` ${statement}` };
  return { span: { start: end, end }, text: `\n${indentAt(file.text, spanOf(at).start)}${statement}` };
}

/** The same, also where the statement is the bare body of an `if` or loop. */
export function appendInside(file: FileFacts, at: Located, statement: string): Edit | undefined {
  const start = statementStart(file, at);
  if (start === undefined || !isBracelessBody(file, { start, end: start })) return appendStatement(file, at, statement);
  return isOpenBody(file, start) ? undefined : inBraces(file, start, statementEnd(file, at), { behind: [statement] });
}

/** `else if (f()) …`: nobody sees where braces around a body end that has bodies of its own. */
function isOpenBody(file: FileFacts, start: number): boolean {
  return isBracelessBody(file, { start, end: start }) && opensControl(file, start);
}

/** Nothing else is on the line: no `}` of a function that is written on one. */
export function isComment(rest: string): boolean {
  return /^\s*(\/\/.*|#.*|\/\*.*\*\/\s*)?$/.test(rest);
}

/** Takes an argument away, its keyword and one comma too. */
export function removeArgument(file: FileFacts, call: Call, argument: Expr): Edit {
  const { tokens } = file;
  let first = tokenAt(tokens, argument.span.start);
  const keyword = [...call.keywords.values()].includes(argument);
  if (keyword) first -= 2;
  const last = tokenBefore(tokens, argument.span.end);
  const start = tokens[first]!.span.start;
  if (tokens[first - 1]?.text === ',') return { span: { start: tokens[first - 1]!.span.start, end: argument.span.end }, text: '' };
  const comma = tokens[last + 1];
  return { span: { start, end: comma?.text === ',' ? tokens[last + 2]!.span.start : argument.span.end }, text: '' };
}

/** Gives a declared variable its first value, in braces for an array. Undefined where it has one. */
export function initialise(file: FileFacts, declared: Located, value: string): Edit | undefined {
  const { tokens } = file;
  const last = tokenBefore(tokens, spanOf(declared).end);
  const next = tokens[last + 1]?.text;
  if (next === ';' || next === ',') return insertAfter(declared, ` = ${value}`);
  if (next !== '[') return undefined;
  const close = tokens.findIndex((token, i) => i > last && token.text === ']' && tokens[i + 1]?.text !== '[');
  return close < 0 || !/^[;,]$/.test(tokens[close + 1]?.text ?? '')
    ? undefined
    : insertAfter(tokens[close]!, file.language === 'c' ? ' = {0}' : ' = {}');
}

/** Python blocks must not become empty. */
function isOnlyStatement(file: FileFacts, at: Located): boolean {
  if (file.language !== 'python') return false;
  const { start, end } = spanOf(at);
  const depth = indentAt(file.text, start).length;
  const above = file.text.slice(0, lineStart(file.text, start)).trimEnd();
  if (!above.endsWith(':')) return false;
  const below = /^[ \t]*(?=\S)/m.exec(file.text.slice(afterLine(file.text, lineEnd(file.text, end))).replace(/^\s*\n/, ''));
  return (below?.[0].length ?? 0) < depth;
}

/** Behind the line end that begins at `end`. */
export function afterLine(text: string, end: number): number {
  const rest = /^\r?\n/.exec(text.slice(end, end + 2));
  return end + (rest?.[0].length ?? 0);
}

/** One level of indentation as the file has it. */
function unitOf(text: string): string {
  return /^(\t| {2,8})\S/m.exec(text)?.[1] ?? '    ';
}
