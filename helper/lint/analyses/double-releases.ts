// Handles that a failing callee has released already and that its caller releases once more.
import type { Call, Event, FileFacts, FunctionFacts, Path, Return } from '../facts/index';
import { extend, isWithin, pathKey, pathOf, stripCasts, symbolOf } from '../facts/paths';
import { eventsAfter } from '../flow/order';
import { resolveCallee } from '../flow/program';
import { isSuccessConstant } from '../knowledge/index';
import { eventsOnSide, failedSide, testOf } from './failure-sides';

export interface DoubleRelease {
  /** The release in the caller, or the call of the clean-up that makes it. */
  readonly second: Call;
  readonly handle: Path;
  readonly first: Call;
  readonly callee: Call;
}

interface Release {
  readonly call: Call;
  readonly path: Path;
}

export function doubleReleases(file: FileFacts): DoubleRelease[] {
  const calls = file.subjects.flatMap((fn) => (fn.degraded ? [] : fn.calls));
  return calls.flatMap((call) => inCallerOf(file, call) ?? []);
}

function inCallerOf(file: FileFacts, call: Call): DoubleRelease | undefined {
  const callee = call.api ? undefined : resolveCallee(file, call);
  const released = callee && callee !== call.fn && !callee.degraded ? releasedOnFailure(callee) : [];
  if (!callee || released.length === 0) return undefined;
  const test = testOf(call);
  const side = test && failedSide(file, test);
  if (!test || side === undefined) return undefined;
  for (const { call: first, path } of released) {
    const handle = inCaller(call, callee, path);
    if (handle && call.fn.events.some((event) => event.id > call.id && event.id < test.id && resets(event, handle))) continue;
    const second = handle && releaseAfter(file, [...eventsOnSide(test, side, (event) => resets(event, handle))], handle, first);
    if (second) return { second, handle, first, callee: call };
  }
  return undefined;
}

// In the callee

/** Releases of what the caller knows, after which the function fails without having reset it. */
function releasedOnFailure(fn: FunctionFacts): Release[] {
  const returns = fn.events.filter((event): event is Return => event.kind === 'return');
  return releasesIn(fn).filter(({ call, path }) => {
    const after = [...eventsAfter(call)];
    const leaves = returns.filter((each) => after.includes(each));
    const isFailure = leaves.length > 0 && leaves.length < returns.length && leaves.every((each) => failsWith(each));
    return (
      isFailure &&
      !after.some((event) => resets(event, path)) &&
      !fn.events.some((event) => event.id < call.id && resets(event, path) && event.kind === 'assign' && event.declares)
    );
  });
}

function releasesIn(fn: FunctionFacts): Release[] {
  return fn.calls.flatMap((call) => {
    const path = releasedBy(call);
    return path && (path.kind === 'param' || path.kind === 'this') && !path.steps.some((step) => step.startsWith('[')) ? [{ call, path }] : [];
  });
}

const notTheHandle = new Set(['device', 'instance', 'allocator', 'count', 'display', 'stream', 'pool', 'size']);

/** What a destroy, free or close ends. */
function releasedBy(call: Call): Path | undefined {
  const { api } = call;
  if (!api || !(api.does('destroy') || api.does('free') || api.does('close') || api.name === 'free')) return undefined;
  const param = api.api.params.find(({ name, out }) => !out && !notTheHandle.has(name));
  return param && pathOf(api.arg(param.name));
}

function failsWith({ value }: Return): boolean {
  if (!value) return false;
  const bare = stripCasts(value);
  if (bare.kind === 'bool') return !bare.value;
  if (bare.kind === 'null') return true;
  if (bare.kind === 'number') return bare.value < 0;
  const symbol = symbolOf(bare);
  if (bare.kind === 'path' && bare.path.kind !== 'global') return false;
  return symbol !== undefined && !isSuccessConstant(symbol) && /ERROR|FAIL|INVALID|^E[A-Z]{3,}|OUT_OF|eError/.test(symbol);
}

/** `x = NULL`, `x = -1`, `x = other`, or the address of it goes to somebody. */
function resets(event: Event, path: Path): boolean {
  if (event.kind === 'assign') {
    const target = pathOf(event.target);
    return target !== undefined && (pathKey(target) === pathKey(path) || isWithin(path, target));
  }
  return (
    event.kind === 'call' &&
    event.args.some((arg) => arg.kind === 'unary' && arg.op === '&' && pathKey(pathOf(arg) ?? path) === pathKey(path) && pathOf(arg) !== undefined)
  );
}

// In the caller

/** The callee's path as the caller writes it. */
function inCaller(call: Call, callee: FunctionFacts, path: Path): Path | undefined {
  if (path.kind === 'this') {
    const onSelf = !call.receiver || (call.receiver.kind === 'path' && call.receiver.path.root === 'this' && call.receiver.path.steps.length === 0);
    const receiver = onSelf
      ? call.fn.className === callee.className
        ? { root: 'this', kind: 'this' as const, steps: [] }
        : undefined
      : pathOf(call.receiver);
    return receiver && extend(receiver, ...path.steps);
  }
  const index = callee.params.findIndex((each) => each.name === path.root);
  const given = pathOf(call.args[index]);
  return given && extend(given, ...path.steps.filter((step) => step !== '*'));
}

function releaseAfter(file: FileFacts, events: readonly Event[], handle: Path, first: Call): Call | undefined {
  const calls = events.filter((event): event is Call => event.kind === 'call');
  return calls.find((call) => releasesHandle(call, handle, first) || cleansUp(file, call, handle, first));
}

function releasesHandle(call: Call, handle: Path, first: Call): boolean {
  const path = releasedBy(call);
  return path !== undefined && pathKey(path) === pathKey(handle) && call.api?.name === first.api?.name;
}

/** A helper of the file, or `delete` of the object, that makes the same release. */
function cleansUp(file: FileFacts, call: Call, handle: Path, first: Call): boolean {
  if (call.form === 'delete') {
    const object = pathOf(call.args[0]);
    const destructor = destructorOf(file, first);
    return (
      object !== undefined &&
      destructor !== undefined &&
      releasesIn(destructor).some(
        ({ call: inner, path }) => inner.api?.name === first.api?.name && pathKey(extend(object, ...path.steps)) === pathKey(handle),
      )
    );
  }
  const callee = call.api ? undefined : resolveCallee(file, call);
  if (!callee || callee === first.fn) return false;
  return releasesIn(callee).some(({ call: inner, path }) => {
    const mapped = inCaller(call, callee, path);
    return inner.api?.name === first.api?.name && mapped !== undefined && pathKey(mapped) === pathKey(handle);
  });
}

function destructorOf(file: FileFacts, first: Call): FunctionFacts | undefined {
  return file.classNamed(first.fn.className ?? '')?.destructor;
}
