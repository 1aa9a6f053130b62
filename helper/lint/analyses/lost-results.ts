// A failure that never reaches the result: the function returns a variable that still means success.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path, Return, Test } from '../facts/index';
import { addressOf, mentions, pathOf, samePath, stripCasts, symbolOf } from '../facts/paths';
import { definitionsAt } from '../flow/definitions';
import { dominates } from '../flow/order';
import { isFailureConstant, isSuccessConstant } from '../knowledge/index';
import { breakBehind, eventsOnSide, failedSide, isLoopCondition } from './failure-sides';

export interface LostResult {
  readonly path: Path;
  readonly returned: Return;
}

/** What every way from this side of the test returns, when it means success and nothing changes it on the way. */
export function lostResult(file: FileFacts, test: Test, side: boolean): LostResult | undefined {
  const events = [...eventsOnSide(test, side, () => false)];
  const returns = events.filter((event): event is Return => event.kind === 'return');
  const path = pathOf(returns[0]?.value);
  if (path?.kind !== 'local' || path.steps.length > 0) return undefined;
  // The test tells what it is, whatever an assert before it does.
  if (mentions(test.expr, path)) return undefined;
  if (!returns.every((each) => each.value?.kind === 'path' && samePath(each.value.path, path))) return undefined;
  if (events.some((event) => changes(event, path)) || events.includes(test)) return undefined;
  return meansSuccess(file, test, path) ? { path, returned: returns[0]! } : undefined;
}

/** The error that the tested call left in the result is replaced by the status of the clean-up, whatever it was. */
export function overwrittenResult(test: Test, side: boolean, call: Call): { readonly lost: LostResult; readonly by: Event } | undefined {
  const path = call.result;
  if (path?.kind !== 'local' || path.steps.length > 0) return undefined;
  const events = [...eventsOnSide(test, side, () => false)];
  const returned = events.find((event): event is Return => event.kind === 'return' && samePath(pathOf(event.value), path));
  const by = events.find((event) => changes(event, path));
  const isAsked = events.some((event) => event.kind === 'test' && mentions(event.expr, path));
  if (!returned || by?.kind !== 'assign' || by.op !== '=' || isAsked || events.includes(test)) return undefined;
  const value = by.value && stripCasts(by.value);
  return value?.kind === 'call' && isCleanUp(value) ? { lost: { path, returned }, by } : undefined;
}

/** What the failed side does on its way out is clean-up and talk, and the other side goes on with more. */
export function givesUp(file: FileFacts, test: Test, side: boolean): boolean {
  const failed = new Set(eventsOnSide(test, side, () => false));
  if (failed.has(test) || isLoopCondition(file, test)) return false;
  const calls = [...failed].filter((event) => event.kind === 'call');
  const onward = [...eventsOnSide(test, !side, () => false)].filter((event) => !failed.has(event));
  // What a loop does for each thing, until one fails, is more as well.
  const isMore = onward.some((event) => event.kind === 'call' && event.api) || (onward.includes(test) && breakBehind(file, test) !== undefined);
  return (
    isMore &&
    calls.every(
      (call) =>
        isCleanUp(call) || isTalk(call) || file.functionsNamed(call.name).some((fn) => fn.calls.every((each) => isCleanUp(each) || isTalk(each))),
    )
  );
}

/** `ret == -EAGAIN`: the other errors go on. */
function asksForOne({ expr }: Test): boolean {
  const right = expr.kind === 'binary' && expr.op === '==' ? stripCasts(expr.right) : undefined;
  return right !== undefined && right.kind !== 'number' && isErrorValue(right);
}

/** Nothing failed: the caller is told to come again. */
export function isBusy(file: FileFacts, { expr }: Test): boolean {
  return /(AGAIN|WOULDBLOCK|INPROGRESS|BUSY)\b/.test(file.source(expr));
}

/** `*is_shared = 0` before, and `*is_shared = 1` only where it went well: the caller is told, and success is meant. */
export function tellsByFlag(test: Test, side: boolean): boolean {
  const failed = new Set(eventsOnSide(test, side, () => false));
  const isOnlyFine = (event: Event) => !failed.has(event);
  return [...eventsOnSide(test, !side, () => false)].some((set) => {
    const flag = isOnlyFine(set) ? flagOf(set) : undefined;
    return flag && test.fn.events.some((event) => dominates(event, test) && samePath(flagOf(event)?.path, flag.path) && flagOf(event)!.n !== flag.n);
  });
}

/** A constant that goes into something of the caller's. */
function flagOf(event: Event): { path: Path; n: number } | undefined {
  if (event.kind !== 'assign' || event.op !== '=' || !event.value) return undefined;
  const path = pathOf(event.target);
  const value = stripCasts(event.value);
  const n = value.kind === 'number' ? value.value : value.kind === 'bool' ? Number(value.value) : undefined;
  return path?.kind === 'param' && path.steps.length > 0 && n !== undefined ? { path, n } : undefined;
}

function isCleanUp({ api, name, form }: Call): boolean {
  if (form === 'delete') return true;
  if (!api) return /destroy|release|free|clos|clean|clear|delete|reset|unmap|unload|shutdown|drop|unref|pop|unlock/i.test(name);
  return (['destroy', 'free', 'close', 'pop', 'unmap', 'unregister', 'reset', 'query', 'sync', 'current'] as const).some((role) => api.does(role));
}

function isTalk({ name, api }: Call): boolean {
  return /log|print|warn|err|debug|trace|message|report|assert|string|c_str|what/i.test(name) && !api?.does('create');
}

function changes(event: Event, path: Path): boolean {
  if (event.kind === 'assign') return samePath(pathOf(event.target), path);
  if (event.kind === 'escape') return event.paths.some((each) => each.root === path.root);
  return event.kind === 'call' && event.args.some((arg) => samePath(addressOf(arg), path));
}

function meansSuccess(file: FileFacts, at: Test, path: Path): boolean {
  const { values, unknown } = definitionsAt(at, path);
  if (unknown || values.length === 0) return false;
  return values.every(({ value, at: from }) => {
    if (value !== 'zero' && isSuccess(at.fn, value, path)) return true;
    return at.fn.events.some((event) => event.kind === 'test' && excludesFailure(file, event, { from, at, path }));
  });
}

/** `if (ret < 0) return ret;` between the definition and the place. */
function excludesFailure(file: FileFacts, guard: Test, { from, at, path }: { from: Event; at: Test; path: Path }): boolean {
  if (guard === at || !mentions(guard.expr, path) || !dominates(from, guard) || !dominates(guard, at)) return false;
  if (asksForOne(guard)) return false;
  const isItself = isBool(at.fn) && samePath(pathOf(guard.expr), path);
  const failed = isItself ? false : failedSide(file, guard);
  if (failed === undefined) return false;
  for (const event of eventsOnSide(guard, failed, () => false)) if (event === at) return false;
  return true;
}

function isSuccess(fn: FunctionFacts, value: Expr, path: Path): boolean {
  const bare = stripCasts(value);
  if (isBool(fn)) return bare.kind === 'bool' ? bare.value : bare.kind === 'number' && bare.value === 1;
  if (bare.kind === 'call') return bare.args.length === 0 && /^(ok|success|OK|Ok|OkStatus|Success)$/.test(bare.name);
  const symbol = symbolOf(bare);
  if (symbol) return isSuccessConstant(symbol) || ownSuccess.test(symbol);
  return bare.kind === 'number' && bare.value === 0 && zeroIsSuccess(fn, path);
}

/** How projects call the success of their own codes. */
const ownSuccess = /(^|_)(OK|SUCCESS|NO_?ERR(OR)?)$|^k?(Ok|Success)$|::k?(Ok|Success|OK|SUCCESS)$/;

function isBool(fn: FunctionFacts): boolean {
  return /^(bool|_Bool|gboolean|BOOL)$/.test(fn.returnType);
}

/** Somewhere the same variable or the function itself gets a negative number or an error. */
function zeroIsSuccess(fn: FunctionFacts, path: Path): boolean {
  if (/\*$/.test(fn.returnType)) return false;
  const written = fn.events.flatMap((event) => {
    if (event.kind === 'return') return event.value ? [event.value] : [];
    return event.kind === 'assign' && event.value && samePath(pathOf(event.target), path) ? [event.value] : [];
  });
  const isPositive = (expr: Expr) => expr.kind === 'number' && expr.value > 0;
  return written.some(isErrorValue) && !written.some((expr) => isPositive(stripCasts(expr)));
}

/** A constant that means success wherever it stands. */
export function isSuccessValue(value: Expr): boolean {
  const bare = stripCasts(value);
  const symbol = symbolOf(bare);
  if (bare.kind !== 'path' || bare.path.kind !== 'global' || symbol === undefined) return false;
  return isSuccessConstant(symbol) || ownSuccess.test(symbol) || /^(ok|success)$/.test(symbol);
}

export function isErrorValue(expr: Expr): boolean {
  const bare = stripCasts(expr);
  if (bare.kind === 'number') return bare.value < 0;
  if (bare.kind === 'unary') return bare.op === '-' && bare.operand.kind === 'path';
  if (bare.kind === 'conditional') return isErrorValue(bare.yes) || isErrorValue(bare.no);
  const symbol = symbolOf(bare);
  return symbol !== undefined && (isFailureConstant(symbol) || /^AVERROR|^E[A-Z]{3,}$|(^|_)(ERR(OR)?|FAIL(ED|URE)?)(_|$)/.test(symbol));
}
