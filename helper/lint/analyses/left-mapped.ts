// Resources that a function maps and unmaps, and ways out on which they stay mapped.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { mentions, pathKey, pathOf, samePath } from '../facts/paths';
import { applyKnownCall, trackPath } from '../flow/effects';
import { evaluate } from '../flow/evaluate';
import { type Machine, type Violation, violation } from '../flow/machine';
import { eventsAfter, returnsWithout } from '../flow/order';
import { violationsOf } from '../flow/program';
import type { State } from '../flow/state';
import { happensIn } from '../flow/visible';
import { hasStatus } from '../knowledge/index';

export interface LeftMapped {
  /** The way out. */
  readonly at: Event;
  readonly mapped: Call;
}

const maps = /^(cu|cuda|hip)GraphicsMapResources$|^cuvidMapVideoFrame(64)?$/;
const unmaps = /^(cu|cuda|hip)GraphicsUnmapResources$|^cuvidUnmapVideoFrame(64)?$/;

/** What is mapped: the resource, or the frame's pointer. */
function mappedPath({ api }: Call): Path | undefined {
  return api!.path('resource') ?? api!.path('ptr');
}

/** States: `unmapped` as far as this function knows · `mapped`. */
const mappedResources: Machine = {
  name: 'mapped-resources',
  neutral: new Set(['unmapped']),
  concerns: ({ api }) => api !== undefined && (maps.test(api.name) || unmaps.test(api.name)),
  call(call, state) {
    const name = call.api?.name ?? '';
    if (maps.test(name)) return map(call, state);
    return unmaps.test(name) ? unmap(call, state) : undefined;
  },
  leave: (state, how, _fn, report) => {
    if (how === 'throw' || !state.leaving) return;
    for (const object of state.objects.values())
      if (object.state === 'mapped' && !object.escaped) report(violation('left-mapped', object, state.leaving));
  },
};

function map(call: Call, state: State): State[] {
  const path = mappedPath(call);
  applyKnownCall(call, state);
  if (!path) return [state];
  const known = evaluate({ kind: 'path', path, span: call.span }, state);
  const failed = state.clone();
  const id = known?.k === 'obj' ? known.id : trackPath(path, 'unmapped', call, state);
  state.move(id, 'mapped', call, call.id);
  if (!hasStatus(call.api!.api) || call.use === 'ignored') return [state];
  const { result } = call.api!.api;
  state.results.set(call.id, { k: 'status', call: call.id, ok: true, result });
  failed.results.set(call.id, { k: 'status', call: call.id, ok: false, result });
  return [state, failed];
}

/** A failed unmap has no remedy: it counts as done. */
function unmap(call: Call, state: State): State[] {
  const path = mappedPath(call);
  const known = path && state.lookup(state.resolve(path));
  if (known?.k === 'obj') state.move(known.id, 'unmapped', call);
  // It may be any of them under another name.
  else for (const object of state.objects.values()) state.escape(object.id);
  return [state];
}

export function leftMapped(file: FileFacts): LeftMapped[] {
  if (file.language === 'python') return file.subjects.flatMap((fn) => (fn.degraded ? [] : leftInPython(fn)));
  const found = violationsOf(file, mappedResources).flatMap((each) => earlyOut(file, each) ?? []);
  return found.filter((each, i) => found.findIndex((other) => other.at === each.at) === i);
}

/** The function itself unmaps on other ways, and on none that leads to this way out. */
function earlyOut(file: FileFacts, { kind, at, trace }: Violation): LeftMapped | undefined {
  const mapped = trace.findLast((step) => step.state === 'mapped' && step.at.fn === at.fn)?.at;
  // Behind `main` nobody maps or draws any more.
  if (kind !== 'left-mapped' || mapped?.kind !== 'call' || at === mapped || at.fn.name === 'main') return undefined;
  const isUnmap = (event: Event) => event.kind === 'call' && unmaps.test(event.api?.name ?? '');
  return leavesEarly(mapped, at, (event) => happensIn(file, event, isUnmap) === 'yes') ? { at, mapped } : undefined;
}

function leavesEarly(mapped: Call, at: Event, isUnmap: (event: Event) => boolean): boolean {
  const unmapping = [...eventsAfter(mapped, { blocked: (event) => event === mapped })].filter((event) => event !== mapped && isUnmap(event));
  return unmapping.length > 0 && !unmapping.some((event) => [...eventsAfter(event, { blocked: (each) => each === mapped })].includes(at));
}

/** Python: `x.map(...)` and `x.unmap()`, or `m = x.map(...)` and `m.unmap()`, as Warp's GL buffers and ovrtx's outputs have it. */
function leftInPython(fn: FunctionFacts): LeftMapped[] {
  const ends = fn.calls.filter(({ name }) => name === 'unmap');
  if (ends.length === 0) return [];
  const scopes = fn.events.flatMap((event) => (event.kind === 'scopeBegin' ? [event.context] : []));
  return fn.calls.flatMap((call) => {
    if (!/^map(_array)?$/.test(call.name) || call.receiver?.kind !== 'path') return [];
    const names = namesOf(call);
    const isUnmap = (event: Event) => event.kind === 'call' && event.name === 'unmap' && names.some((name) => samePath(name, pathOf(event.receiver)));
    if (!ends.some((each) => each.id > call.id && isUnmap(each)) || isInWith(call, scopes)) return [];
    const at = [...eventsAfter(call, { blocked: isUnmap })].find((event) => isWayOut(event, call, names, isUnmap));
    return at ? [{ at, mapped: call }] : [];
  });
}

/** What `unmap` may be called on: the resource, and the mapping. Elements of containers are not told apart. */
function namesOf(call: Call): Path[] {
  const names = [pathOf(call.receiver), call.result].flatMap((path) => path ?? []);
  return names.filter((path) => path.steps.every((step) => step.startsWith('.')));
}

function isInWith({ result }: Call, scopes: readonly Expr[]): boolean {
  return result !== undefined && scopes.some((context) => mentions(context, result));
}

/** A return that no `finally` unmaps behind, and that is not the answer to a mapping that failed or went elsewhere. */
function isWayOut(event: Event, mapped: Call, names: readonly Path[], isUnmap: (event: Event) => boolean): boolean {
  if (event.kind !== 'return' || !leavesEarly(mapped, event, isUnmap) || !returnsWithout(event, isUnmap)) return false;
  const between = mapped.fn.events.filter((each) => each.id > mapped.id && each.id < event.id);
  const uses = (each: Event) => names.some((name) => isGivenAway(each, name));
  return !between.some(uses) && !names.some((name) => event.value && mentions(event.value, name));
}

/** A test of the mapping, or the mapping in other hands. */
function isGivenAway(event: Event, name: Path): boolean {
  if (event.kind === 'test') return mentions(event.expr, name);
  if (event.kind === 'escape') return event.paths.some((path) => pathKey(path) === pathKey(name));
  if (event.kind === 'assign') return event.value?.kind === 'path' && samePath(event.value.path, name);
  return event.kind === 'call' && !event.api && event.args.some((arg) => samePath(pathOf(arg), name)) && !/^(print|len|int|str)$/.test(event.name);
}
