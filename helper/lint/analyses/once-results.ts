// Work without a result of its own that leaves its outcome in a variable of others: the body of call_once, of pthread_once, a method that
// sets a field. One of its failures does not say so.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, Path, Return, Test } from '../facts/index';
import { expressionsOf, mentions, pathKey, pathOf, samePath, stripCasts } from '../facts/paths';
import { reachesWithout } from '../flow/order';
import { hasStatus } from '../knowledge/index';
import { eventsOnSide, failedSide, testedCall } from './failure-sides';
import { givesUp, isErrorValue, isSuccessValue } from './lost-results';

export interface SilentFailure {
  readonly at: Return;
  readonly call: Call;
  readonly path: Path;
  /** A failure beside it that does leave word. */
  readonly told: Assign;
}

interface Failure {
  readonly test: Test;
  readonly call: Call;
  readonly events: readonly Event[];
}

export function silentFailures(file: FileFacts, fn: FunctionFacts): SilentFailure[] {
  if (fn.degraded || fn.events.some((event) => event.kind === 'return' && event.value)) return [];
  const failures = failuresOf(file, fn);
  const told = failures.length < 2 ? undefined : tellingAssign(file, fn, failures);
  const path = told && pathOf(told.target);
  if (!told || !path) return [];
  return failures.flatMap(({ test, call, events }) => {
    const at = events.find((event): event is Return => event.kind === 'return');
    const isTold = events.includes(test) || fn.events.some((event) => isChange(event, path) && (events.includes(event) || reaches(event, test)));
    return at && !isTold && mayLose(file, test, events) ? [{ at, call, path, told }] : [];
  });
}

function reaches(event: Event, test: Test): boolean {
  return event.id < test.id && reachesWithout(event, test, () => false);
}

function failuresOf(file: FileFacts, fn: FunctionFacts): Failure[] {
  return fn.events.flatMap((test): Failure[] => {
    const call = test.kind === 'test' ? testedCall(test) : undefined;
    if (test.kind !== 'test' || !call?.api || !hasStatus(call.api.api)) return [];
    const side = failedSide(file, test);
    return side === undefined ? [] : [{ test, call, events: [...eventsOnSide(test, side, () => false)] }];
  });
}

function mayLose(file: FileFacts, test: Test, events: readonly Event[]): boolean {
  const side = failedSide(file, test);
  return side !== undefined && givesUp(file, test, side) && !events.some((event) => event.kind === 'throw');
}

/** `status = failure;` on a failed side, for a variable that means success to begin with and that others return. */
function tellingAssign(file: FileFacts, fn: FunctionFacts, failures: readonly Failure[]): Assign | undefined {
  const found = failures.flatMap(({ events }) => events).filter((event): event is Assign => event.kind === 'assign' && event.op === '=');
  return found.find((event) => {
    const path = pathOf(event.target);
    const home = path && event.value && isFailing(event.value) ? homeOf(file, fn, path) : undefined;
    return home !== undefined && isSuccessful(home.initial) && home.readers.some((each) => returns(each, path!));
  });
}

interface Home {
  readonly initial: Expr | undefined;
  /** Functions that may hand the outcome on. */
  readonly readers: readonly FunctionFacts[];
}

function homeOf(file: FileFacts, fn: FunctionFacts, path: Path): Home | undefined {
  if (path.kind === 'this')
    return path.steps.length === 1 && fn.className && fn.kind !== 'lambda'
      ? { initial: fieldInit(file, fn.className, path), readers: file.functionsOfClass(fn.className).filter((each) => each !== fn) }
      : undefined;
  if (path.steps.length > 0) return undefined;
  if (path.kind === 'global') return { initial: file.globalNamed(path.root)?.init, readers: file.functions.filter((each) => each !== fn) };
  const { parent } = fn;
  if (path.kind === 'local' || path.kind === 'param' || fn.kind !== 'lambda' || !parent || !runsOnce(parent, fn)) return undefined;
  const declared = parent.events.find((event) => event.kind === 'assign' && event.declares?.name === path.root);
  return { initial: declared?.kind === 'assign' ? declared.value : undefined, readers: [parent] };
}

function fieldInit(file: FileFacts, className: string, path: Path): Expr | undefined {
  return file.classNamed(className)?.fields.find(({ name }) => `.${name}` === path.steps[0])?.init;
}

function runsOnce(parent: FunctionFacts, fn: FunctionFacts): boolean {
  return parent.calls.some(({ name, args }) => name === 'call_once' && args.some((arg) => arg.kind === 'lambda' && arg.fn === fn));
}

function returns(fn: FunctionFacts, path: Path): boolean {
  return fn.events.some((event) => event.kind === 'return' && event.value && mentions(event.value, { ...path, kind: 'local' }));
}

function isFailing(value: Expr): boolean {
  const bare = stripCasts(value);
  return (bare.kind === 'bool' && !bare.value) || isErrorValue(bare) || isOwnError(bare);
}

/** An enumerator of the project's own; success would be another word. */
function isOwnError(value: Expr): boolean {
  return (
    value.kind === 'path' && value.path.kind === 'global' && /err|fail|bad|invalid|unavailable/i.test(pathKey(value.path)) && !isSuccessValue(value)
  );
}

function isSuccessful(value: Expr | undefined): boolean {
  const bare = value && stripCasts(value);
  if (bare?.kind === 'bool') return bare.value;
  return bare !== undefined && isSuccessValue(bare);
}

function isChange(event: Event, path: Path): boolean {
  if (event.kind === 'assign') return samePath(pathOf(event.target), path);
  return (
    event.kind === 'call' &&
    expressionsOf(event).some((expr) => expr.kind === 'call' && !expr.api && expr.args.some((arg) => samePath(pathOf(arg), path)))
  );
}
