// Edits that fixes are made of. They read tokens and blanks around a place; a rule never does that itself.
import type { Call, Expr, FileFacts, Token } from '../facts/index';
import { type Edit, type Located, spanOf } from './rule';

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
  if (isBracelessBody(file, at) || isOnlyStatement(file, at)) return undefined;
  const span = { start: spanOf(at).start, end: statementEnd(file, at) };
  const from = lineStart(file.text, span.start);
  const to = lineEnd(file.text, span.end);
  const isAlone = file.text.slice(from, span.start).trim() === '' && /^\s*(\/\/.*|#.*|\/\*.*\*\/\s*)?$/.test(file.text.slice(span.end, to));
  return { span: isAlone ? { start: from, end: afterLine(file.text, to) } : span, text: '' };
}

/** Puts statements before the one that begins at `at`; braces come around both where it is the bare body of an `if` or loop. */
export function insertStatement(file: FileFacts, at: Located, ...statements: string[]): Edit {
  const { start } = spanOf(at);
  const indent = indentAt(file.text, start);
  const isFirst = file.text.slice(lineStart(file.text, start), start).trim() === '';
  if (!isBracelessBody(file, at))
    return { span: { start, end: start }, text: statements.map((each) => each + (isFirst ? `\n${indent}` : ' ')).join('') };
  const outer = isFirst ? indent.replace(/(\t| {1,4})$/, '') : indent;
  const inner = isFirst ? indent : indent + unitOf(file.text);
  const end = statementEnd(file, at);
  const before = lastBlankBefore(file.text, start);
  const lines = [...statements, file.text.slice(start, end)].map((each) => `${inner}${each}\n`).join('');
  return { span: { start: before, end }, text: ` {\n${lines}${outer}}` };
}

/** Puts a statement on a line of its own after the statement at `at`. */
export function appendStatement(file: FileFacts, at: Located, statement: string): Edit | undefined {
  if (isBracelessBody(file, at)) return undefined;
  const end = lineEnd(file.text, statementEnd(file, at));
  return { span: { start: end, end }, text: `\n${indentAt(file.text, spanOf(at).start)}${statement}` };
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

/** True for the body of `if (x) f();` without braces. */
export function isBracelessBody(file: FileFacts, at: Located): boolean {
  if (file.language === 'python') return false;
  const before = file.tokens[tokenAt(file.tokens, spanOf(at).start) - 1]?.text;
  return before === ')' || before === 'else' || before === 'do';
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

/** The offset behind the `;` (C) or behind the expression (Python). */
export function statementEnd(file: FileFacts, at: Located): number {
  const { end } = spanOf(at);
  if (file.language === 'python' || file.text[end - 1] === ';') return end;
  let depth = 0;
  for (let i = tokenBefore(file.tokens, end) + 1; i < file.tokens.length; i++) {
    const { text, span } = file.tokens[i]!;
    if (/^[([{]$/.test(text)) depth++;
    if (/^[)\]}]$/.test(text)) depth--;
    if (depth < 0) return end;
    if (text === ';' && depth === 0) return span.end;
  }
  return end;
}

/** Index of the first token that starts at or behind an offset. */
function tokenAt(tokens: readonly Token[], offset: number): number {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tokens[middle]!.span.start < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the last token that starts before an offset. */
function tokenBefore(tokens: readonly Token[], offset: number): number {
  return tokenAt(tokens, offset) - 1;
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' && end > offset ? end - 1 : end;
}

/** Behind the line end that begins at `end`. */
function afterLine(text: string, end: number): number {
  const rest = /^\r?\n/.exec(text.slice(end, end + 2));
  return end + (rest?.[0].length ?? 0);
}

/** Blanks at the start of the line of an offset. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))![0];
}

function lastBlankBefore(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && /\s/.test(text[at - 1]!)) at--;
  return at;
}

/** One level of indentation as the file has it. */
function unitOf(text: string): string {
  return /^(\t| {2,8})\S/m.exec(text)?.[1] ?? '    ';
}
