// Python: data that is written on a side stream, in place or by a method of the object, and used elsewhere before anything joins the two.
import type { Call, Event, FileFacts, FunctionFacts, Path } from '../facts/index';
import { isWithin, pathOf, samePath, walk } from '../facts/paths';
import { reachesWithout } from '../flow/order';
import { resolveCallee } from '../flow/program';
import { readsToHost } from './python-mappings';
import { isKernelLaunch, isTensorCall, producedIn, type StreamScope, scopeAt, streamScopes } from './python-streams';

export interface LeftOnStream {
  readonly reader: Event;
  readonly data: Path;
  /** The stream that it was written on, and the one that is current at the reader, if that is a side stream. */
  readonly key: string;
  readonly consumer: string | undefined;
  readonly produced: Event;
}

interface Written {
  readonly path: Path;
  readonly at: Event;
  readonly key: string;
  /** From here on the data is pending in the function that reads it. */
  readonly from: Event;
}

export function leftOnStreams(file: FileFacts, fn: FunctionFacts): LeftOnStream[] {
  const scopes = streamScopes(fn, file);
  const written = [...scopes.flatMap((scope) => inPlace(fn, scope)), ...fn.calls.flatMap((call) => byMethod(file, call))];
  const found = written.flatMap(({ path, at, key, from }): LeftOnStream[] => {
    const end = scopes.find((scope) => scope.begin.id < from.id && from.id < scope.end.id)?.end ?? from;
    const reader = fn.events.find((event) => event.id > end.id && (event.kind === 'call' ? consumes(event, path) : computesWith(event, path)));
    if (!reader || scopeAt(scopes, reader)?.key === key || !reachesWithout(from, reader, (event) => event !== reader && mayJoin(event, path)))
      return [];
    const between = fn.events.filter((event) => event.id > from.id && event.id < reader.id);
    if (between.some((event) => mayJoin(event, path))) return [];
    return [{ reader, data: path, key, consumer: scopeAt(scopes, reader)?.key, produced: at }];
  });
  return found.filter((each, i) => found.findIndex(({ reader }) => reader === each.reader) === i);
}

/** `y = a @ x` or `return x + 1`. */
function computesWith(event: Event, path: Path): boolean {
  const value = event.kind === 'return' || event.kind === 'assign' ? event.value : undefined;
  if (value?.kind !== 'binary' || !/^[-+*/@]$/.test(value.op)) return false;
  return [value.left, value.right].some((side) => pathOf(side) !== undefined && isWithin(pathOf(side)!, path));
}

/** `x.copy_(y)` and the like inside of the block. */
function inPlace(fn: FunctionFacts, scope: StreamScope): Written[] {
  return fn.calls.flatMap((call): Written[] => {
    const path = call.id > scope.begin.id && call.id < scope.end.id && writesInPlace(call) ? pathOf(call.receiver) : undefined;
    return path ? [{ path, at: call, key: scope.key, from: call }] : [];
  });
}

/** Torch's methods with an underscore at their end; the memory is the receiver's. */
function writesInPlace(call: Call): boolean {
  return /^(copy|add|sub|mul|div|fill|zero|clamp|index_copy|masked_fill|normal|uniform|scatter|sigmoid|relu)_$/.test(call.name);
}

/** `self.prefetch()` that leaves a field of the object to a stream of its own, which nothing in it waits for. */
function byMethod(file: FileFacts, call: Call): Written[] {
  const callee = call.receiver ? resolveCallee(file, call) : undefined;
  if (!callee || callee === call.fn || callee.degraded) return [];
  return streamScopes(callee, file).flatMap((scope) => {
    const made = [...producedIn(callee, scope), ...inPlace(callee, scope)].filter(({ path }) => path.kind === 'this');
    const open = made.filter(({ at }) => !callee.calls.some((each) => each.id > at.id && /wait|sync|join|query/i.test(each.name)));
    const last = open.filter(({ path }, i) => open.findLastIndex((each) => samePath(each.path, path)) === i);
    return last.map(({ path, at }) => ({ path, at, key: scope.key, from: call }));
  });
}

/** GPU work on the data, or bringing it to the host by the current stream. */
export function consumes(call: Call, path: Path): boolean {
  const parts = [...(call.receiver ? [call.receiver] : []), ...call.args, ...call.keywords.values()];
  return (isTensorCall(call) || readsToHost(call)) && parts.some((part) => pathOf(part) !== undefined && isWithin(pathOf(part)!, path));
}

/** A wait, a new value, the data in the hands of somebody who may wait, or the end of a `with` block whose manager may. */
export function mayJoin(event: Event, path: Path): boolean {
  if (event.kind === 'scopeEnd') return event.context?.kind === 'call' && !/^(torch|warp|cupy|numba|nvtx|contextlib)\./.test(event.context.callee);
  if (event.kind === 'assign') return pathOf(event.target) !== undefined && isWithin(path, pathOf(event.target)!);
  if (event.kind === 'call') {
    if (/wait|sync|join|record|query/i.test(event.name)) return event.name !== 'record_stream';
    const isKnown =
      event.api !== undefined ||
      isTensorCall(event) ||
      isKernelLaunch(event) ||
      /^(len|print|append|isinstance|range|int|float|str)$/.test(event.name);
    return !isKnown && event.args.some((arg) => [...walk(arg)].some((part) => part.kind === 'path' && isWithin(part.path, path)));
  }
  return false;
}
