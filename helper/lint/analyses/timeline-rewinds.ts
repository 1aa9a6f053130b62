// Counters of timeline values that are set back to what the semaphore has reached.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { valueAt } from '../flow/definitions';
import { resolveCallee } from '../flow/program';
import { reachedCalls } from './releases';
import { type Signal, signalsIn } from './semaphores';

export interface Rewind {
  readonly at: Event;
  /** The counter. */
  readonly path: Path;
  /** A signal of another function that counts with it. */
  readonly signal: Signal;
}

const queries = callsTo(/^vkGetSemaphoreCounterValue$/);

/** `issued_ = completed()` in a method although other methods signal `++issued_`, with no wait for what is still queued. */
export function rewindsIn(file: FileFacts, fn: FunctionFacts): Rewind[] {
  if (queries(file).length === 0 || fn.kind !== 'method' || !fn.className) return [];
  return fn.events.flatMap((event) => {
    const path = rewound(file, event);
    if (path?.kind !== 'this' || path.steps.length !== 1 || isIdle(file, event)) return [];
    const signal = file
      .functionsOfClass(fn.className!)
      .filter((each) => each !== fn)
      .flatMap((each) => signalsIn(each))
      .find((each) => countsUp(each, path));
    return signal ? [{ at: event, path, signal }] : [];
  });
}

/** What the event sets to the value that a semaphore has reached. */
function rewound(file: FileFacts, event: Event): Path | undefined {
  if (event.kind === 'call' && event.api?.name === 'vkGetSemaphoreCounterValue') return event.api.path('value');
  if (event.kind !== 'assign' || event.op !== '=' || !event.value) return undefined;
  return isReached(file, event, event.value) ? pathOf(event.target) : undefined;
}

function isReached(file: FileFacts, at: Event, written: Expr): boolean {
  const value = stripCasts(written);
  if (value.kind === 'call') return isQuery(value) || returnsReached(file, value);
  const path = pathOf(value);
  if (path?.kind !== 'local') return false;
  const known = valueAt(at, value);
  if (known && known !== 'zero' && known.kind === 'call') return isQuery(known) || returnsReached(file, known);
  return at.fn.calls.some((call) => isQuery(call) && call.id < at.id && samePath(call.api!.path('value'), path));
}

function isQuery(call: Call): boolean {
  return call.api?.name === 'vkGetSemaphoreCounterValue';
}

/** A helper that asks for the counter and returns it as it is. */
function returnsReached(file: FileFacts, call: Call): boolean {
  const callee = call.api ? undefined : resolveCallee(file, call);
  const asked = callee?.calls.filter(isQuery) ?? [];
  if (!callee || asked.length !== 1) return false;
  const returns = callee.events.flatMap((event) => (event.kind === 'return' && event.value ? [stripCasts(event.value)] : []));
  return returns.length > 0 && returns.every((each) => each === asked[0] || samePath(pathOf(each), asked[0]!.api!.path('value')));
}

/** Somebody has waited for what is queued, here or in a helper, or may have. */
function isIdle(file: FileFacts, at: Event): boolean {
  return [...reachedCalls(file, at.fn)].some(({ call, site }) => {
    if (site.id >= at.id) return false;
    if (call.api) return call.api.does('sync');
    return !resolveCallee(file, call) && /wait|idle|sync|flush|finish|drain|stop|join|quiesce/i.test(call.name);
  });
}

/** `++issued_`, or `issued_ + 1` of the counter as it is. */
function countsUp(signal: Signal, path: Path): boolean {
  const value = valueAt(signal.at, signal.value);
  const isIn = (expr: Expr) => [...walk(expr)].some((part) => part.kind === 'path' && samePath(part.path, path));
  return isIn(signal.value) || (value !== undefined && value !== 'zero' && isIn(value));
}
