// Memory that is used behind its end: the exporter's memory under a live import, and device pointers under work that is queued later.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { extend, isWithin, lastName, pathKey, pathOf, stripCasts, walk } from '../facts/paths';
import { fieldAt, valueAt } from '../flow/definitions';
import { functionId } from '../flow/function-id';
import { dominates, reachesWithout } from '../flow/order';
import { fileQuery } from '../memo/query';
import { fromFunctions } from '../memo/table';
import { endedPath, endsGpuObject, writes } from './releases';

export interface UsedLater {
  readonly end: Call;
  readonly use: Call;
  readonly kind: 'exporter' | 'pointer';
  readonly used: Path;
}

/** Names by which a file calls what came out of exported memory: the import, mapped pointers, mip chains and their levels. */
type Views = ReadonlyMap<string, ReadonlySet<string>>;

/** Exported memory by name, linked to imports by the descriptor's name or because the file has only one of each. */
const viewsOf = fileQuery((file): Views => {
  const exports = exportsOf(file);
  const imports = importsOf(file);
  const views = viewCalls(file);
  const memories = new Set(exports.map((each) => each.memory));
  const isSingle = memories.size === 1 && new Set(imports.map((each) => each.memory)).size === 1;
  const found = new Map<string, Set<string>>();
  for (const each of exports) {
    const own = imports.filter((other) => isSingle || other.fds.includes(each.fd));
    const names = new Set(own.map((other) => other.memory));
    for (const call of views) addViews(call, names);
    found.set(each.memory, names);
  }
  return found;
});

const exportsOf = fromFunctions((_, fn) => fn.calls.flatMap((call) => exported(call) ?? []));
const importsOf = fromFunctions((_, fn) => fn.calls.flatMap((call) => imported(call) ?? []));
const viewCalls = fromFunctions((_, fn) => fn.calls.filter(({ api }) => makesView.test(api?.name ?? '')));
const makesView = /(GetMappedBuffer|GetMappedMipmappedArray|MipmappedArrayGetLevel|GetMipmappedArrayLevel)$/;

function exported(call: Call): { memory: string; fd: string } | undefined {
  if (!/^vkGetMemory(Fd|Win32Handle)$/.test(call.api?.name ?? '')) return undefined;
  const [only] = fieldAt(call, call.api!.arg('info'), 'memory').values;
  const memory = only && only.value !== 'zero' ? pathOf(only.value) : undefined;
  const fd = call.api!.path('fd') ?? call.api!.path('handle');
  return memory && { memory: lastName(memory), fd: keyIn(call, fd) };
}

/** The descriptor may be written right into the struct, or copied there from a variable. */
function imported(call: Call): { memory: string; fds: readonly string[] } | undefined {
  if (!/^(cuda|cu|hip)ImportExternalMemory$/.test(call.api?.name ?? '')) return undefined;
  const memory = call.api!.path('memory');
  const [only] = fieldAt(call, call.api!.arg('desc'), 'handle.fd').values;
  const copied = only && only.value !== 'zero' ? pathOf(only.value) : undefined;
  const desc = call.api!.path('desc');
  const inPlace = desc && extend(desc, '.handle', '.fd');
  return memory && { memory: lastName(memory), fds: [copied, inPlace].filter((path) => path !== undefined).map((path) => keyIn(call, path)) };
}

/** A name for a path that is unique in the file: locals belong to their function. */
function keyIn(call: Call, path: Path | undefined): string {
  if (!path) return `?${call.id}`;
  return path.kind === 'local' || path.kind === 'param' ? `${functionId(call.fn)}:${pathKey(path)}` : pathKey(path);
}

function addViews(call: Call, names: Set<string>): void {
  const api = call.api!;
  const from = api.path('memory') ?? api.path('chain');
  const to = /GetMapped/.test(api.name) ? (api.path('ptr') ?? api.path('chain')) : api.path('array');
  if (from && to && names.has(lastName(from))) names.add(lastName(to));
}

/** Ends in a function behind which the function still uses what they end. One for each end. */
export function usedLater(file: FileFacts, fn: FunctionFacts): UsedLater[] {
  return fn.calls.flatMap((end): UsedLater[] => {
    if (!end.api || !endsGpuObject(end)) return [];
    const ended = endedPath(end);
    if (!ended) return [];
    if (/^(vkFreeMemory|vmaFreeMemory)$/.test(end.api.name)) return exporterUse(file, end, ended);
    return /^((cuda|hip)(Free|FreeArray|FreeMipmappedArray)|cu(MemFree|ArrayDestroy))$/.test(end.api.name) ? pointerUse(end, ended) : [];
  });
}

function exporterUse(file: FileFacts, end: Call, ended: Path): UsedLater[] {
  const names = viewsOf(file).get(lastName(ended));
  if (!names) return [];
  const use = laterWork(end, (path) => names.has(lastName(path)) && sameHolder(path, ended), ended);
  return use ? [{ end, use: use.call, kind: 'exporter', used: use.path }] : [];
}

/** Fields of the same object, or names of the same function. */
function sameHolder(a: Path, b: Path): boolean {
  return a.steps.length === 0 || b.steps.length === 0 ? a.steps.length === b.steps.length : a.root === b.root;
}

function pointerUse(end: Call, ended: Path): UsedLater[] {
  if (ended.steps.some((step) => step.startsWith('['))) return [];
  const use = laterWork(end, (path) => isWithin(path, ended), ended);
  return use ? [{ end, use: use.call, kind: 'pointer', used: use.path }] : [];
}

/** A kernel, copy or other asynchronous work behind the end that is given such a path. */
function laterWork(end: Call, isIt: (path: Path) => boolean, ended: Path): { call: Call; path: Path } | undefined {
  for (const call of end.fn.calls) {
    if (call.id <= end.id || !isWork(call)) continue;
    const given = [...call.args, ...(call.launch ?? [])].flatMap((arg) => pathsIn(call, arg)).find(isIt);
    const isNew = (event: Event) => event !== end && (writes(event, ended) || (given !== undefined && writes(event, given)));
    if (given && dominates(end, call) && reachesWithout(end, call, isNew)) return { call, path: given };
  }
  return undefined;
}

function isWork(call: Call): boolean {
  if (call.launch) return true;
  const { api } = call;
  if (!api || !/^(cuda-driver|cuda-runtime|hip)$/.test(api.api.family)) return false;
  return (api.does('launch') || api.does('copy')) && !api.does('free') && !api.does('alloc') && !api.does('signal');
}

/** Paths that an argument names, arrays of arguments (`void* args[] = {&p}`) looked into; results of calls are something else. */
function pathsIn(at: Call, arg: Expr): Path[] {
  const value = valueAt(at, arg);
  const list = value !== undefined && value !== 'zero' && value.kind === 'init' ? value : arg;
  return [...walk(stripCasts(list))].flatMap((part) => (part.kind === 'path' ? [part.path] : []));
}
