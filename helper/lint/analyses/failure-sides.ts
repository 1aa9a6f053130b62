// On which side of a branch has the call behind its test failed?
import type { Call, Event, Expr, FileFacts, FunctionFacts, Span, Test, Token } from '../facts/index';
import { stripCasts, symbolOf } from '../facts/paths';
import { definitionsAt } from '../flow/definitions';
import { resolveCallee } from '../flow/program';
import { hasStatus, isFailureConstant, isSuccessConstant } from '../knowledge/index';
import { countWhere } from '../sorted';
import { partOf } from '../syntax/node';
import { closing } from './brackets';

/** The call whose outcome a test examines, directly or through a variable. */
export function testedCall(test: Test): Call | undefined {
  return callBehind(test, test.expr);
}

/** Variables that are followed: `x = x->next` in a loop has no end. */
const maxCopies = 8;

function callBehind(at: Event, expr: Expr, copies = maxCopies): Call | undefined {
  const bare = stripCasts(expr);
  switch (bare.kind) {
    case 'call':
      return bare;
    case 'success':
      return callBehind(at, bare.of, copies);
    case 'binary':
      return isConstant(bare.right) ? callBehind(at, bare.left, copies) : isConstant(bare.left) ? callBehind(at, bare.right, copies) : undefined;
    case 'path': {
      if (copies === 0) return undefined;
      const { values, unknown } = definitionsAt(at, bare.path);
      const only = !unknown && values.length === 1 ? values[0] : undefined;
      return only && only.value !== 'zero' ? callBehind(only.at, only.value, copies - 1) : undefined;
    }
    default:
      return undefined;
  }
}

function isConstant(expr: Expr): boolean {
  const bare = stripCasts(expr);
  const inner = bare.kind === 'unary' ? bare.operand : bare;
  return /^(number|bool|null)$/.test(inner.kind) || (inner.kind === 'path' && inner.path.kind === 'global');
}

/** The value of the test that means failure, or undefined when nothing tells. */
export function failedSide(file: FileFacts, test: Test): boolean | undefined {
  return byPolarity(file, test, stripCasts(test.expr)) ?? jumpOf(file, test)?.side;
}

function byPolarity(file: FileFacts, test: Test, expr: Expr): boolean | undefined {
  if (expr.kind === 'success') return false;
  if (expr.kind === 'binary') return byComparison(expr.op, stripCasts(expr.right));
  const call = callBehind(test, expr);
  if (!call) return undefined;
  if (call.api) {
    const { result } = call.api.api;
    if (result === 'bool' || result === 'handle') return false;
    return hasStatus(call.api.api) ? true : undefined;
  }
  return resolveCallee(file, call)?.returnType === 'bool' ? false : undefined;
}

/** Operators with which a comparison against the constant is true on failure, and with which on success. */
const meanings: Readonly<Record<'success' | 'failure' | 'zero' | 'minus-one', readonly [failed: string, fine: string]>> = {
  success: ['!=', '=='],
  failure: ['==', ''],
  zero: ['<', '>='],
  'minus-one': ['==', '!= >'],
};

function byComparison(op: string, right: Expr): boolean | undefined {
  if (right.kind === 'bool') return (op === '==') !== right.value;
  const constant = constantKind(right);
  if (!constant) return undefined;
  const [failed, fine] = meanings[constant];
  if (op === failed) return true;
  return fine.split(' ').includes(op) ? false : undefined;
}

function constantKind(expr: Expr): keyof typeof meanings | undefined {
  if (expr.kind === 'number') return expr.value === 0 ? 'zero' : expr.value === -1 ? 'minus-one' : undefined;
  const symbol = symbolOf(expr);
  if (!symbol) return undefined;
  return isSuccessConstant(symbol) ? 'success' : isFailureConstant(symbol) ? 'failure' : undefined;
}

export interface Jump {
  readonly side: boolean;
  /** The statement `goto label`. */
  readonly at: Span;
}

/** The `goto` that one side of a test does at once or after a few statements: `if (!f()) goto error;`. */
export function jumpOf(file: FileFacts, test: Test): Jump | undefined {
  const { fn } = test;
  const following = Math.min(...fn.events.map((event) => event.span.start).filter((start) => start >= test.span.end));
  const atOnce = gotoBetween(file, fn, test.span.end, following);
  if (atOnce) {
    const label = blockOfLabel(file, fn, atOnce.label);
    const sides = [true, false].filter((when) => landingOf(test, when) === label);
    return label !== undefined && sides.length === 1 ? { side: sides[0]!, at: atOnce.span } : undefined;
  }
  return jumpAfterBody(file, test, following);
}

/** `if (!f()) { log(); goto error; }` */
function jumpAfterBody(file: FileFacts, test: Test, following: number): Jump | undefined {
  const { fn } = test;
  for (const side of [true, false]) {
    const block = landingOf(test, side);
    const events = block === undefined ? [] : fn.blocks[block]!.events;
    if (!events.some((event) => event.span.start === following)) continue;
    const end = Math.max(...events.map((event) => event.span.end));
    const after = Math.min(...fn.events.map((event) => event.span.start).filter((start) => start >= end));
    const jump = gotoBetween(file, fn, end, after);
    const flow = fn.blocks[block!]!.edges.filter((edge) => edge.kind === 'flow');
    if (jump && flow.length === 1 && landing(fn, flow[0]!.to) === blockOfLabel(file, fn, jump.label)) return { side, at: jump.span };
  }
  return undefined;
}

/** The `break` that follows a test at once or ends the block behind it: `if (!f()) { log(); break; }`. */
export function breakBehind(file: FileFacts, { fn, span }: Test): Span | undefined {
  const tokens = file.tokensOf(fn);
  let at = lowerBound(tokens, span.end);
  while (tokens[at]?.text === ')') at++;
  if (tokens[at]?.text === '{') at = closing(tokens, at) - 2;
  const found = tokens[at];
  return found?.text === 'break' ? partOf(fn.span, found.span.start - fn.span.start, found.span.end - fn.span.start) : undefined;
}

/** `while (f())` goes on as long as it can: its end is no failure. */
export function isLoopCondition(file: FileFacts, { fn, span }: Test): boolean {
  const tokens = file.tokensOf(fn);
  let at = lowerBound(tokens, span.start) - 1;
  while (tokens[at]?.text === '(' || tokens[at]?.text === '!') at--;
  return tokens[at]?.text === 'while';
}

function landingOf(test: Test, when: boolean): number | undefined {
  const to = test.fn.blocks[test.block]!.edges.find((edge) => edge.when === when)?.to;
  return to === undefined ? undefined : landing(test.fn, to);
}

function blockOfLabel(file: FileFacts, fn: FunctionFacts, label: string): number | undefined {
  const tokens = file.tokensOf(fn);
  const i = tokens.findIndex((token, k) => token.text === label && tokens[k + 1]?.text === ':' && /^[;{}:]$/.test(tokens[k - 1]?.text ?? ''));
  if (i < 0) return undefined;
  const after = fn.events.filter((event) => event.span.start > tokens[i]!.span.end);
  const first = after.reduce<Event | undefined>((best, event) => (best && best.span.start <= event.span.start ? best : event), undefined);
  return first?.block;
}

/** The first block with events that a block leads to without a branch. */
function landing(fn: FunctionFacts, block: number): number {
  let at = block;
  for (let i = 0; i < 8 && fn.blocks[at]!.events.length === 0 && fn.blocks[at]!.edges.length === 1; i++) at = fn.blocks[at]!.edges[0]!.to;
  return at;
}

function gotoBetween(file: FileFacts, fn: FunctionFacts, from: number, to: number): { label: string; span: Span } | undefined {
  const tokens = file.tokensOf(fn);
  for (let i = lowerBound(tokens, from); i < tokens.length - 1 && tokens[i]!.span.start < to; i++) {
    if (tokens[i]!.text !== 'goto') continue;
    const [start, end] = [tokens[i]!.span.start - fn.span.start, tokens[i + 1]!.span.end - fn.span.start];
    return { label: tokens[i + 1]!.text, span: partOf(fn.span, start, end) };
  }
  return undefined;
}

function lowerBound(tokens: readonly Token[], offset: number): number {
  return countWhere(tokens, ({ span }) => span.start < offset);
}

/** The test that examines a call's outcome, if there is exactly one. */
export function testOf(call: Call): Test | undefined {
  const tests = call.fn.events.filter((event): event is Test => event.kind === 'test' && event.id > call.id && testedCall(event) === call);
  return tests.length === 1 ? tests[0] : undefined;
}

/** Everything that can happen after a test came out as `side`, up to blocked events. */
export function* eventsOnSide(test: Test, side: boolean, blocked: (event: Event) => boolean): Generator<Event> {
  const { blocks } = test.fn;
  const to = blocks[test.block]!.edges.find((edge) => edge.when === side)?.to;
  if (to === undefined) return;
  const seen = new Set<number>([to]);
  for (const block of seen) {
    let stopped = false;
    for (const event of blocks[block]!.events) {
      yield event;
      stopped = blocked(event);
      if (stopped) break;
    }
    if (!stopped) for (const edge of blocks[block]!.edges) if (edge.kind !== 'maybe') seen.add(edge.to);
  }
}
