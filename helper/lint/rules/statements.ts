// Where statements begin and end, for edits. They are read from tokens and blanks.
import type { Event, FileFacts, Span, Token } from '../facts/index';
import { countWhere } from '../sorted';
import { type Located, spanOf } from './rule';

const control = /^(if|for|while|do|switch|try)$/;

/** True for the body of `if (x) f();` without braces. */
export function isBracelessBody(file: FileFacts, at: Located): boolean {
  if (file.language === 'python') return false;
  const before = file.tokens[tokenAt(file.tokens, spanOf(at).start) - 1]?.text;
  return before === ')' || before === 'else' || before === 'do';
}

/** The statement at `start` has statements of its own. */
export function opensControl(file: FileFacts, start: number): boolean {
  return control.test(file.tokens[tokenAt(file.tokens, start)]?.text ?? '');
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

/**
 * The offset at which the innermost statement around `at` begins. Undefined where what stands before that statement does not run right before
 * `at`, or not whenever `at` runs: in the head of a loop or of an arm, behind `&&` or `?`, in a list of initialisers, in a macro.
 */
export function statementStart(file: FileFacts, at: Located): number | undefined {
  const { start } = spanOf(at);
  return file.language === 'python' ? pythonStatement(file, start) : cStatement(file, start);
}

function cStatement({ tokens }: FileFacts, offset: number): number | undefined {
  for (let i = tokenAt(tokens, offset) - 1; i >= 0; i--) {
    const { text } = tokens[i]!;
    if (/^(\?|\\|&&|\|\||for|while)$/.test(text)) return undefined;
    if (/^[)\]]$/.test(text)) {
      const open = openerAround(tokens, i);
      if (isHead(tokens, open)) return wholeFrom(tokens, i + 1);
      i = open;
    } else if (/^([;{}]|else|do)$/.test(text) || (text === ':' && isLabel(tokens, i))) return wholeFrom(tokens, i + 1);
    else if (text === ':') return undefined;
  }
  return wholeFrom(tokens, 0);
}

/** `if (`, `if constexpr (` and the like, of which the bracket is at `open`. */
function isHead(tokens: readonly Token[], open: number): boolean {
  const before = tokens[open - 1]?.text ?? '';
  return tokens[open]?.text === '(' && (control.test(before) || (before === 'constexpr' && tokens[open - 2]?.text === 'if'));
}

/** The place of the bracket that is open before the token at `at`; below 0 where none is. */
export function openerAround(tokens: readonly Token[], at: number): number {
  let depth = 0;
  for (let i = at - 1; i >= 0; i--) {
    if (/^[)\]}]$/.test(tokens[i]!.text)) depth++;
    if (/^[([{]$/.test(tokens[i]!.text) && --depth < 0) return i;
  }
  return -1;
}

/** `again:`, `default:`, `case 2:`, `public:`. */
function isLabel(tokens: readonly Token[], colon: number): boolean {
  if (tokens[colon - 1]?.kind === 'word' && /^([;{}:]|else|do)$/.test(tokens[colon - 2]?.text ?? '')) return true;
  for (let i = colon - 1; i >= 0 && !/^[;{}?]$/.test(tokens[i]!.text); i--) if (tokens[i]!.text === 'case') return true;
  return false;
}

/** Where the token at `first` begins, unless it is within brackets that are no block: the head of a `for`, braces around values. */
function wholeFrom(tokens: readonly Token[], first: number): number | undefined {
  const token = tokens[first];
  if (!token || !(token.kind === 'word' || /^([(*[]|::|\+\+|--)$/.test(token.text))) return undefined;
  if (tokens[openerAround(tokens, first)]?.text === '(') return undefined;
  if (control.test(token.text)) return token.span.start;
  let depth = 0;
  for (let i = first; i < tokens.length; i++) {
    const { text } = tokens[i]!;
    if (/^[([{]$/.test(text)) depth++;
    if (/^[)\]}]$/.test(text) && --depth < 0) return undefined;
    if (text === ';' && depth === 0) return token.span.start;
  }
  return undefined;
}

/** Python: on a line by itself, with nothing before `offset` that decides whether that is evaluated. */
function pythonStatement(file: FileFacts, offset: number): number | undefined {
  const start = logicalLine(file, offset);
  if (/^(elif|else|while|except|case)\b/.test(file.text.slice(start))) return undefined;
  if (/^(async\s+)?(def|class|if|for|with|try|finally|match)\b.*:\s/.test(file.text.slice(start, offset))) return undefined;
  const first = tokenAt(file.tokens, start);
  const isDeciding = ({ text }: Token) => /^(;|and|or|else|lambda|:=)$/.test(text);
  return file.tokens.slice(first, tokenAt(file.tokens, offset)).some(isDeciding) ? undefined : start;
}

/** The first line of whatever is evaluated around `offset`: brackets hold a line of Python open. */
function logicalLine(file: FileFacts, offset: number): number {
  const around = file.functions
    .flatMap((fn) => (holds(fn.span, offset) ? fn.events : []))
    .filter((event) => isEvaluated(event) && holds(event.span, offset));
  const start = Math.min(offset, ...around.map((event) => event.span.start));
  return lineStart(file.text, start) + indentAt(file.text, start).length;
}

function isEvaluated({ kind }: Event): boolean {
  return kind !== 'scopeBegin' && kind !== 'scopeEnd' && kind !== 'escape';
}

function holds({ start, end }: Span, offset: number): boolean {
  return start <= offset && offset <= end;
}

/** Index of the first token that starts at or behind an offset. */
export function tokenAt(tokens: readonly Token[], offset: number): number {
  return countWhere(tokens, ({ span }) => span.start < offset);
}

/** Index of the last token that starts before an offset. */
export function tokenBefore(tokens: readonly Token[], offset: number): number {
  return tokenAt(tokens, offset) - 1;
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' && end > offset ? end - 1 : end;
}

/** Blanks at the start of the line of an offset. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))![0];
}
