// Values and truth of expressions in one state.
import type { BinaryExpr, Call, Expr, Path } from '../facts/index';
import { pathOf, stripCasts } from '../facts/paths';
import { isFailureConstant, isSuccessConstant } from '../knowledge/index';
import type { State, Value } from './state';

const num = (n: number): Value => ({ k: 'num', n });
const bool = (value: boolean | undefined): Value | undefined => (value === undefined ? undefined : num(value ? 1 : 0));

export function evaluate(expr: Expr | undefined, state: State): Value | undefined {
  if (!expr) return undefined;
  const bare = stripCasts(expr);
  switch (bare.kind) {
    case 'number':
      return num(bare.value);
    case 'bool':
      return num(bare.value ? 1 : 0);
    case 'null':
      return num(0);
    case 'path':
      return valueOfPath(bare, state);
    case 'unary':
      return unary(bare.op, bare.operand, state);
    case 'binary':
      return binary(bare, state);
    case 'conditional': {
      const test = outcome(bare.test, evaluate(bare.test, state), state);
      return test === undefined ? undefined : evaluate(test ? bare.yes : bare.no, state);
    }
    case 'success':
      return success(bare.of, state);
    case 'call':
      return state.results.get(bare.id) ?? asked(bare, state);
    default:
      return undefined;
  }
}

/** `memory.has_value()` of an optional. */
export function asksForValue({ name, receiver, args }: Call): boolean {
  return name === 'has_value' && receiver !== undefined && args.length === 0;
}

/** It tells the same as `memory` by itself does. */
function asked(call: Call, state: State): Value | undefined {
  const value = asksForValue(call) ? evaluate(call.receiver, state) : undefined;
  return value?.k === 'taint' ? value : bool(truth(value));
}

function valueOfPath(expr: Expr & { kind: 'path' }, state: State): Value | undefined {
  const known = state.lookup(state.resolve(expr.path));
  if (known) return known;
  if (expr.path.root === 'EGL_NO_NATIVE_FENCE_FD_ANDROID') return num(-1);
  return expr.path.kind === 'global' && /^[A-Z_0-9]+$|::|^cuda[A-Z]|^hip[A-Z]|^k[A-Z]/.test(expr.path.root)
    ? { k: 'sym', s: expr.path.root + expr.path.steps.join('') }
    : undefined;
}

function unary(op: string, operand: Expr, state: State): Value | undefined {
  if (op === '&') {
    const path = pathOf(operand);
    return path && { k: 'addr', key: state.resolve(path) };
  }
  const value = evaluate(operand, state);
  if (value?.k === 'taint') return value;
  if (op === '!') return bool(not(truth(value)));
  return op === '-' && value?.k === 'num' ? num(-value.n) : undefined;
}

function not(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

/** Of the left of `&&`, `||` or `?`: what its value tells, or the way that was taken because of it. */
function outcome(expr: Expr, value: Value | undefined, state: State): boolean | undefined {
  return truth(value) ?? state.joining.get(expr);
}

function binary(expr: BinaryExpr, state: State): Value | undefined {
  const left = evaluate(expr.left, state);
  const right = evaluate(expr.right, state);
  if (expr.op === '&&' || expr.op === '||') {
    const stop = expr.op === '||';
    const first = outcome(expr.left, left, state);
    if (first === stop || truth(right) === stop) return bool(stop);
    if (first === !stop && truth(right) === !stop) return bool(!stop);
  } else {
    const result = compare(expr.op, left, right) ?? compare(mirrored[expr.op] ?? '', right, left);
    if (result !== undefined) return bool(result);
  }
  return mixed(left, right);
}

/** What an operation nobody can compute knows: that it depends on the outcome of calls. */
function mixed(...values: (Value | undefined)[]): Value | undefined {
  const calls = values.flatMap(callsBehind);
  return calls.length > 0 ? { k: 'taint', calls } : undefined;
}

export function callsBehind(value: Value | undefined): number[] {
  if (value?.k === 'status') return [value.call];
  return value?.k === 'taint' ? [...value.calls] : [];
}

const mirrored: Readonly<Record<string, string>> = { '==': '==', '!=': '!=', '<': '>', '>': '<', '<=': '>=', '>=': '<=' };

function compare(op: string, left: Value | undefined, right: Value | undefined): boolean | undefined {
  if (!left || !right) return undefined;
  if (left.k === 'num' && right.k === 'num') return numbers(op, left.n, right.n);
  if (left.k === 'status') return compareStatus(op, left, right);
  if (left.k === 'obj' && right.k === 'num') return left.pointer ? comparePointer(op, right.n) : compareObject(op, right.n);
  if (left.k === 'sym' && right.k === 'sym' && (op === '==' || op === '!=')) return (left.s === right.s) === (op === '==');
  if ((left.k === 'some' || left.k === 'addr') && isNull(right)) return op === '!=' ? true : op === '==' ? false : undefined;
  return undefined;
}

function numbers(op: string, a: number, b: number): boolean | undefined {
  const results: Record<string, boolean> = { '==': a === b, '!=': a !== b, '<': a < b, '>': a > b, '<=': a <= b, '>=': a >= b };
  return results[op];
}

function comparePointer(op: string, n: number): boolean | undefined {
  return n === 0 && (op === '==' || op === '!=') ? op === '!=' : undefined;
}

/** A tracked object is a valid descriptor: not negative, but possibly 0. */
function compareObject(op: string, n: number): boolean | undefined {
  if (n < 0) return op === '==' || op === '<' || op === '<=' ? false : op === '!=' || op === '>' || op === '>=' ? true : undefined;
  if (n === 0) return op === '>=' ? true : op === '<' ? false : undefined;
  return undefined;
}

/**
 * A status against a constant. bool: success is 1, failure 0. Others: success is 0; failure is not, and where the code compares by order
 * it is below (a `VkResult`, or a check macro that returns -1).
 */
function compareStatus(op: string, status: Value & { k: 'status' }, right: Value): boolean | undefined {
  const isEquality = op === '==' || op === '!=';
  if (status.result === 'handle') return isEquality && isNull(right) ? status.ok === (op === '!=') : undefined;
  if (right.k === 'sym' && isFailureConstant(right.s)) return status.ok && isEquality ? op === '!=' : undefined;
  const isBool = status.result === 'bool';
  const wanted = statusNumber(right, isBool);
  if (wanted === undefined || (wanted !== 0 && !isBool)) return undefined;
  if (isBool) return numbers(op, status.ok ? 1 : 0, wanted);
  return status.ok || op !== '>' ? numbers(op, status.ok ? 0 : -1, wanted) : undefined;
}

/** `EGL_NO_SYNC_KHR`, `VK_NULL_HANDLE`, `std::nullopt`, 0. */
function isNull(value: Value): boolean {
  return (
    (value.k === 'num' && value.n === 0) || (value.k === 'sym' && /^(EGL_NO_[A-Z]+(_[A-Z]+)?|VK_NULL_HANDLE|GL_NONE|(std::)?nullopt)$/.test(value.s))
  );
}

function statusNumber(value: Value, isBool: boolean): number | undefined {
  if (value.k === 'sym') return isSuccessConstant(value.s) ? (isBool ? 1 : 0) : undefined;
  return value.k === 'num' ? value.n : undefined;
}

/** True, false, or unknown. A status is true when it is not zero: failure for all but bool. */
export function truth(value: Value | undefined): boolean | undefined {
  if (!value) return undefined;
  if (value.k === 'num') return value.n !== 0;
  if (value.k === 'some' || value.k === 'addr' || (value.k === 'obj' && value.pointer)) return true;
  if (value.k === 'status') return value.result === 'bool' || value.result === 'handle' ? value.ok : !value.ok;
  return undefined;
}

/** Whether a checked status or condition means success. */
function success(of: Expr, state: State): Value | undefined {
  const value = evaluate(of, state);
  if (value?.k === 'status') return bool(value.ok);
  const bare = stripCasts(of);
  if (bare.kind === 'call' || (bare.kind === 'path' && value?.k !== 'num')) return mixed(value);
  return value?.k === 'taint' ? value : bool(truth(value));
}

/** Learns from a test with an unknown answer that it came out as `outcome`. */
export function assume(expr: Expr, outcome: boolean, state: State): void {
  const bare = stripCasts(expr);
  if (bare.kind === 'unary' && bare.op === '!') assume(bare.operand, !outcome, state);
  else if (bare.kind === 'path' && bare.path.kind !== 'global') learn(bare.path, outcome ? { k: 'some' } : num(0), state);
  else if (bare.kind === 'binary') assumeComparison(bare, outcome, state);
}

function assumeComparison(expr: BinaryExpr, outcome: boolean, state: State): void {
  const left = stripCasts(expr.left);
  const value = evaluate(expr.right, state);
  if (left.kind !== 'path' || !value) return;
  const isEqual = (expr.op === '==' && outcome) || (expr.op === '!=' && !outcome);
  if (isEqual && (value.k === 'num' || value.k === 'sym')) learn(left.path, value, state);
  if (value.k === 'num' && isNegative(expr.op, value.n, outcome)) learn(left.path, num(-1), state);
}

/** `x >= 0` is false, `x > -1` is false, `x < 0` is true: the sentinel of descriptors. */
function isNegative(op: string, n: number, outcome: boolean): boolean {
  const bound = op === '>=' || op === '<' ? n : n + 1;
  return bound === 0 && ((!outcome && (op === '>=' || op === '>')) || (outcome && (op === '<' || op === '<=')));
}

/** What a test says about a path; about a parameter it is also what the caller must have passed for this way to be taken. */
function learn(path: Path, value: Value, state: State): void {
  const key = state.resolve(path);
  if (state.lookup(key)) return;
  state.bind(key, value);
  if (path.kind === 'param' && path.steps.length === 0) state.bindings.set(`^${key}`, value);
}
