// Who ends an object with static storage duration before its destructor does: some function that empties it, in this file or maybe elsewhere.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path, Variable } from '../facts/index';
import { pathOf, stripCasts } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { functionTable } from '../memo/table';
import { endedPath, endsGpuObject, isNullValue, ownedClass, reachedCalls } from './releases';

const enders =
  /^(reset|clear|release|destroy|shutdown|shut_down|free|close|cleanup|clean_up|terminate|deinit|finali[sz]e|dispose|teardown|tear_down|uninit|stop|swap|purge|drop)\w*$/i;

/** The file ends the object before the destructor does, or hands it to somebody who may. `owner` is the function that a static local is in. */
export function isEndedByHand(file: FileFacts, variable: Variable, owner: FunctionFacts | undefined): boolean {
  if (endedNames.of(file, variable.name.split('::').at(-1)!).length > 0) return true;
  const type = ownedClass(variable.type);
  return owner !== undefined && endedResults.of(file, owner.name).some(({ fn }) => type === undefined || ownerOf(fn) !== type);
}

/** The class that a function or lambda belongs to. */
function ownerOf(fn: FunctionFacts): string | undefined {
  return fn.className ?? (fn.parent && ownerOf(fn.parent));
}

/** Events that end globals by their last name, or may. */
const endedNames = functionTable<string, Event>((_, fn) =>
  fn.events.flatMap((event) => [...globalsIn(endedBy(event)), ...partsEndedBy(event)].map((name) => [name, event] as const)),
);

/** Calls that end what a function returns: `pool().clear()`, `auto& p = pool(); p.clear()`. */
const endedResults = functionTable<string, Call>((_, fn) =>
  fn.calls.flatMap((call) => {
    const receiver = call.receiver !== undefined && empties(call) ? valueAt(call, stripCasts(call.receiver)) : undefined;
    const source = receiver === undefined || receiver === 'zero' ? undefined : stripCasts(receiver);
    return source?.kind === 'call' ? [[source.name, call] as const] : [];
  }),
);

function empties(call: Call): boolean {
  const [size] = call.args;
  return enders.test(call.name) || (call.name === 'resize' && call.args.length === 1 && size?.kind === 'number' && size.value === 0);
}

function endedBy(event: Event): readonly Expr[] {
  if (event.kind === 'assign') return event.declares || isMade(event.value) ? [] : [event.target];
  if (event.kind !== 'call') return [];
  const object = event.receiver !== undefined && empties(event) ? [stripCasts(event.receiver)] : [];
  const isHandedOver = /swap|exchange|move$/.test(event.name) || (event.receiver === undefined && !event.api && empties(event));
  return isHandedOver ? [...object, ...event.args] : object;
}

/** `table = make_table();`: what is put there begins, and what was there before is the same that ends at exit. */
function isMade(value: Expr | undefined): boolean {
  const bare = value && stripCasts(value);
  if (bare?.kind !== 'call') return false;
  if (/\b(shared|unique)_ptr\b/.test(bare.callee) && bare.args.length > 0) return true;
  return (
    bare.form === 'new' || /(^|_)(make|create|alloc|allocate|open|build|load|acquire|new)(_|$|[A-Z])|^(make|create|open|build|load)/i.test(bare.name)
  );
}

function globalsIn(exprs: readonly Expr[]): string[] {
  return exprs.flatMap((expr) => {
    const path = pathOf(expr);
    return path?.kind === 'global' && path.steps.length === 0 ? [lastOf(path)] : [];
  });
}

function lastOf(path: Path): string {
  return path.root.split('::').at(-1)!;
}

/** A function named for it ends or empties fields of a global: `void shutdown() { cudaFree(g_state.data); }`. */
function partsEndedBy(event: Event): string[] {
  if (!enders.test(event.fn.name)) return [];
  return [partOf(event)].flatMap((path) => (path?.kind === 'global' && path.steps.length > 0 ? [lastOf(path)] : []));
}

function partOf(event: Event): Path | undefined {
  if (event.kind === 'assign') return event.value && isNullValue(event.value) ? pathOf(event.target) : undefined;
  if (event.kind !== 'call') return undefined;
  if (endsGpuObject(event)) return endedPath(event);
  return event.receiver !== undefined && empties(event) ? pathOf(event.receiver) : undefined;
}

/** A header gives everybody the object and a method that frees what it holds: whether somebody calls it, nobody sees here. */
export function mayBeEndedElsewhere(file: FileFacts, variable: Variable): boolean {
  if (!isHeader(file.path)) return false;
  const type = ownedClass(variable.type);
  const methods = (type && file.classNamed(type)?.methods) || [];
  return methods.some((fn) => fn.kind === 'method' && enders.test(fn.name) && [...reachedCalls(file, fn)].some(({ call }) => endsGpuObject(call)));
}

/** Other files include it. */
export function isHeader(path: string): boolean {
  return /\.(h|hh|hpp|hxx|cuh|inl|ipp)$/i.test(path);
}
