// Pointers and mipmapped arrays that are mapped from external memory, and who frees them.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { childrenOf, declarationOf, lastName, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { reachesWithout } from '../flow/order';
import { fromFunctions, functionTable } from '../memo/table';
import { endedPath } from './releases';
import { afterSuccess } from './stream-order';

export interface MappedFault {
  readonly at: Call;
  readonly mapped: Call;
  readonly what: 'pointer' | 'chain';
  /** lost: no name is left to free it by. not-freed: the import is destroyed without it. level: a level is freed for the chain. */
  readonly kind: 'lost' | 'not-freed' | 'level';
}

export function mappedFaults(file: FileFacts): MappedFault[] {
  const mappings = mappingCalls(file).flatMap((call) => (call.fn.degraded ? [] : (mappingOf(call) ?? [])));
  if (mappings.length === 0) return [];
  const levels = levelCalls(file);
  const own = mappings.filter(({ call }) => file.subjects.includes(call.fn));
  return [...own.flatMap((each) => faultOf(file, each, levels) ?? []), ...freedLevels(file, mappings, levels)];
}

interface Mapping {
  readonly call: Call;
  readonly path: Path;
  readonly what: MappedFault['what'];
}

function mappingOf(call: Call): Mapping | undefined {
  const { api } = call;
  if (!api || !/^(cu|cuda|hip)ExternalMemoryGetMapped(Buffer|MipmappedArray)$/.test(api.name)) return undefined;
  const [path, what] = /Buffer$/.test(api.name) ? [api.path('ptr'), 'pointer' as const] : [api.path('chain'), 'chain' as const];
  return path && { call, path, what };
}

const mappingCalls = callsTo(/^(cu|cuda|hip)ExternalMemoryGetMapped(Buffer|MipmappedArray)$/);
const levelCalls = callsTo(/^(cuMipmappedArrayGetLevel|cudaGetMipmappedArrayLevel)$/);

const arrayFrees = callsTo(/^(cuArrayDestroy|cudaFreeArray)$/);
const arrayCreations = fromFunctions((_, fn) => fn.calls.filter((each) => /^(cuArray\w*Create|cudaMalloc\w*Array)$/.test(each.name)));
const importEnds = callsTo(/^(cu|cuda|hip)DestroyExternalMemory$/);

function isFree({ api }: Call): boolean {
  return api?.does('free') === true && /^(cu|cuda|hip)/.test(api.name);
}

function faultOf(file: FileFacts, mapping: Mapping, levels: readonly Call[]): MappedFault | undefined {
  const { call, path, what } = mapping;
  if (path.kind === 'local' && path.steps.length === 0) {
    const stored = storedIn(call.fn, path);
    if (stored) return notFreed(file, { ...mapping, path: stored });
    if (call.fn.name === 'main' || isStatic(call.fn, path) || call.fn.events.some((event) => isKept(event, call, path))) return undefined;
    const level = levels.find((each) => each.fn === call.fn && each.id > call.id && samePath(each.api!.path('chain'), path));
    return { at: level ?? call, mapped: call, what, kind: 'lost' };
  }
  return path.steps.length > 0 && !path.steps.some((step) => step.startsWith('[')) ? notFreed(file, mapping) : undefined;
}

function isStatic(fn: FunctionFacts, path: Path): boolean {
  const declared = declarationOf(fn, path);
  return declared !== undefined && (declared.isStatic || /[&]$|unique|shared|Unique|Ptr/.test(declared.type));
}

/** The one field that a local variable is copied to. */
function storedIn(fn: FunctionFacts, path: Path): Path | undefined {
  const stores = fn.events.flatMap((event) => {
    if (event.kind !== 'assign' || !event.value || !samePath(pathOf(stripCasts(event.value)), path)) return [];
    const target = pathOf(event.target);
    return target && target.kind !== 'local' && target.steps.length > 0 ? [target] : [];
  });
  return stores.length === 1 ? stores[0] : undefined;
}

/** The event frees the mapped thing, hands it to somebody who may, or keeps it elsewhere. */
function isKept(event: Event, mapped: Call, path: Path): boolean {
  if (event.id <= mapped.id) return false;
  const has = (expr: Expr | undefined) => expr !== undefined && names(expr, path);
  switch (event.kind) {
    case 'call':
      if (event.launch || (event.api && !isFree(event) && event.api.name !== 'memcpy')) return false;
      return [event.receiver, ...event.args].some(has);
    case 'assign':
      return has(event.value) && event.value?.kind !== 'call';
    case 'return':
      return has(event.value) && event.value?.kind !== 'call' && event.value?.kind !== 'binary';
    case 'throw':
      return has(event.value);
    case 'escape':
      return event.paths.some((each) => each.root === path.root);
    default:
      return false;
  }
}

/** The expression itself has the thing; a call in it is an event of its own: `check(getLevel(&level, chain))` is given a status. */
function names(expr: Expr, path: Path): boolean {
  if (expr.kind === 'path') return expr.path.root === path.root;
  return expr.kind !== 'call' && childrenOf(expr).some((each) => names(each, path));
}

/** The import of a mapped field is destroyed in this file, and nothing in the file frees the field. */
function notFreed(file: FileFacts, { call, path, what }: Mapping): MappedFault | undefined {
  const memory = call.api!.path('memory');
  const name = lastName(path);
  if (!memory || memory.steps.length === 0) return undefined;
  const isOther = (end: Call) => memory.kind === 'this' && end.fn.className !== undefined && end.fn.className !== call.fn.className;
  const destroys = importEnds(file).filter((each) => named(each.api!.path('memory'), lastName(memory)) && !isOther(each));
  const destroy = destroys[0];
  if (!destroy || destroys.length > 1 || isOnFailure(call, destroy) || mayBeFreed(file, name, destroy.fn)) return undefined;
  return { at: destroy, mapped: call, what, kind: 'not-freed' };
}

/** Behind the test that the mapping failed there is nothing to free. */
function isOnFailure(mapped: Call, destroy: Call): boolean {
  return mapped.fn === destroy.fn && mapped.id < destroy.id && !reachesWithout(afterSuccess(mapped), destroy, () => false);
}

function named(path: Path | undefined, name: string): boolean {
  return path !== undefined && path.steps.length > 0 && lastName(path) === name;
}

/** A free of the field, of something that may be a copy of it, or a call in the clean-up that nobody can see into. */
function mayBeFreed(file: FileFacts, name: string, cleanup: FunctionFacts): boolean {
  if (freeing.of(file, anyName).length > 0) return true;
  if (freeing.of(file, name).some((call) => isFree(call) || call.form !== 'construct' || call.fn === cleanup)) return true;
  return cleanup.calls.some((call) => isUnknown(call) && /free|release|destroy|unmap|reset|clean/i.test(call.name));
}

const anyName = '*';

/** Calls that free something, or may, by the names of what they are given. */
const freeing = functionTable<string, Call>((_, fn) =>
  fn.calls.flatMap((call) => (isFree(call) || isUnknown(call) ? [...namesGiven(call)].map((name) => [name, call] as const) : [])),
);

function isUnknown({ api, launch }: Call): boolean {
  return !api && !launch;
}

function namesGiven(call: Call): Set<string> {
  const parts = [call.receiver, ...call.args].flatMap((arg) => (arg ? [...walk(arg)] : []));
  const paths = parts.flatMap((part) => (part.kind === 'path' ? [part.path] : []));
  const names = new Set(paths.flatMap((path) => (path.steps.length > 0 ? [path.root, lastName(path)] : [path.root])));
  const isOpen = parts.length === 0 || paths.some((path) => path.steps.length === 0 && path.kind !== 'this');
  return isFree(call) && isOpen ? names.add(anyName) : names;
}

/** `cuArrayDestroy(level)` where the level came from a mapped chain: only the chain may be destroyed. */
function freedLevels(file: FileFacts, mappings: readonly Mapping[], levels: readonly Call[]): MappedFault[] {
  const chains = mappings.filter((each) => each.what === 'chain');
  if (chains.length === 0) return [];
  return arrayFrees(file).flatMap((free) => {
    const path = file.subjects.includes(free.fn) ? endedPath(free) : undefined;
    const level = path && levels.find((each) => isSame(each, each.api!.path('array'), free, path));
    const chain = level && chains.find((each) => isSame(each.call, each.path, level, level.api!.path('chain')));
    const isCreated = chain && arrayCreations(file).some((each) => named(pathOf(each.args[0]), lastName(path)));
    return chain && !isCreated ? [{ at: free, mapped: chain.call, what: 'chain' as const, kind: 'level' as const }] : [];
  });
}

/** Equal variables of one function, or fields of one name. */
function isSame(a: Call, first: Path | undefined, b: Call, second: Path | undefined): boolean {
  if (!first || !second) return false;
  return a.fn === b.fn ? samePath(first, second) : first.steps.length > 0 && named(second, lastName(first));
}
