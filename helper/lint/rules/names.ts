// What a name means at another place of its function: a fix may only write it where it means the same.
import type { Assign, Event, Expr, FileFacts, FunctionFacts, Path, Span, Token } from '../facts/index';
import { isWithin, pathOf, walk } from '../facts/paths';
import { openerAround, tokenAt } from './statements';

/** What is declared at `declared` has its name at `use`: no block that it is in has ended in between. */
export function isInScope(file: FileFacts, declared: Span, use: Span): boolean {
  if (declared.start >= use.start) return false;
  const { tokens } = file;
  const first = tokenAt(tokens, declared.start);
  const open = openerAround(tokens, first);
  const isInHead = tokens[open]?.text === '(' && /^(if|for|while|switch|catch|constexpr)$/.test(tokens[open - 1]?.text ?? '');
  return isInHead ? use.start < endOfBody(tokens, open) : !blockEnds(tokens, first, use.start);
}

function blockEnds(tokens: readonly Token[], first: number, before: number): boolean {
  let depth = 0;
  for (let i = first; i < tokens.length && tokens[i]!.span.start < before; i++) {
    if (tokens[i]!.text === '{') depth++;
    if (tokens[i]!.text === '}' && --depth < 0) return true;
  }
  return false;
}

/** Of the first body behind the head that opens at `open`. */
function endOfBody(tokens: readonly Token[], open: number): number {
  let depth = 0;
  let isBehindHead = false;
  for (let i = open; i < tokens.length; i++) {
    const { text, span } = tokens[i]!;
    if (/^[([{]$/.test(text)) depth++;
    if (/^[)\]}]$/.test(text)) depth--;
    if (depth === 0 && isBehindHead && /^[;}]$/.test(text)) return span.start;
    isBehindHead ||= depth === 0;
  }
  return Number.POSITIVE_INFINITY;
}

/** Where the variable of that name is declared that is seen behind an event; undefined for fields and globals. */
function seenBehind(file: FileFacts, { locals, params }: FunctionFacts, name: string, { span: { end } }: Event): Span | undefined {
  if (file.language === 'python') return undefined;
  const at = { start: end, end };
  const seen = [...params, ...locals].filter((each) => each.name === name && isInScope(file, each.span, at)).map(({ span }) => span);
  return seen.sort((a, b) => a.start - b.start).at(-1);
}

/** What names `path` at `from` may be written again at `to`: the name means the same variable, and that has kept its value. */
export function keepsMeaning(file: FileFacts, path: Path, from: Event, to: Event): boolean {
  const { fn } = from;
  if (fn !== to.fn) return false;
  const declared = seenBehind(file, fn, path.root, from);
  const isHidden = path.kind === 'local' && declared === undefined && file.language !== 'python';
  if (isHidden || declared?.start !== seenBehind(file, fn, path.root, to)?.start) return false;
  return !fn.events.some((event) => event.kind === 'assign' && event.id > from.id && event.id < to.id && changes(event, path, from));
}

/** Not where it is the value of `from` itself that is kept. */
function changes({ target, value }: Assign, path: Path, from: Event): boolean {
  const isOwn = value !== undefined && [...walk(value)].some((part) => part === from);
  return !isOwn && isWithin(path, pathOf(target) ?? nothing);
}

const nothing: Path = { kind: 'local', root: '', steps: [] };

/** The same for every name in an expression. */
export function meansTheSame(file: FileFacts, expr: Expr, from: Event, to: Event): boolean {
  return [...walk(expr)].every((part) => part.kind !== 'path' || keepsMeaning(file, part.path, from, to));
}
