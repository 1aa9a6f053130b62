// Vulkan objects that are created in sight, with everything on their pNext chain.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { lastName, pathKey, pathOf, stripCasts } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { fieldAt } from '../flow/definitions';
import { chainOf, typeOfPath } from '../flow/visible';
import { fileQuery, functionQuery } from '../memo/query';
import { isAppendedUnseen } from './unseen-chains';

export interface Created {
  readonly call: Call;
  /** Where the handle goes. */
  readonly handle: Path;
  /** Types on the chain, the create info first: `VkMemoryAllocateInfo`. */
  readonly types: readonly string[];
  has(type: RegExp): boolean;
}

interface Creators {
  readonly inFile: (file: FileFacts) => readonly Created[];
  readonly inFunction: (file: FileFacts, fn: FunctionFacts) => readonly Created[];
}

const byParam = new Map<string, Creators>();

function creatorsOf(api: string, param: string): Creators {
  const known = byParam.get(`${api} ${param}`);
  if (known) return known;
  const inFunction = functionQuery((each, fn) =>
    fn.degraded ? [] : fn.calls.flatMap((call) => (call.api?.name === api ? (createdWith(each, call, param) ?? []) : [])),
  );
  const made = { inFunction, inFile: fileQuery((each) => creators(each, api).flatMap((fn) => inFunction(each, fn))) };
  byParam.set(`${api} ${param}`, made);
  return made;
}

/** Calls of one create function whose chain the file shows completely. `param` names the handle. */
export function createdBy(file: FileFacts, api: string, param: string): readonly Created[] {
  return creatorsOf(api, param).inFile(file);
}

/** Those of one function. */
export function createdIn(file: FileFacts, fn: FunctionFacts, api: string, param: string): readonly Created[] {
  return creatorsOf(api, param).inFunction(file, fn);
}

function creators(file: FileFacts, api: string): FunctionFacts[] {
  return [...new Set(creations(file, api).map((call) => call.fn))];
}

const byApi = new Map<string, (file: FileFacts) => readonly Call[]>();

/** All calls of a create function, also those whose chain nobody can follow. */
export function creations(file: FileFacts, api: string): readonly Call[] {
  const query = byApi.get(api) ?? callsTo(new RegExp(`^${api}$`));
  byApi.set(api, query);
  return query(file);
}

/** What a create call makes, where the file shows its whole chain. */
export function createdWith(file: FileFacts, call: Call, param: string): Created | undefined {
  const handle = call.api!.path(param);
  const { structs, complete } = chainOf(file, call, 'info');
  const types = structs.flatMap((struct) => struct.type?.replace(/^vk::/, 'Vk') ?? []);
  if (!handle || !complete || types.length < structs.length || isSetLater(file, call, structs) || isAppendedUnseen(file, call, structs))
    return undefined;
  return { call, handle, types, has: (type) => types.some((each) => type.test(each)) };
}

/** `info.setPNext(&x)` and other calls on a struct of the chain. */
function isSetLater(file: FileFacts, call: Call, structs: readonly { path: Path }[]): boolean {
  return call.fn.calls.some(
    (each) =>
      !each.api &&
      each.name !== 'get' &&
      each.receiver &&
      structs.some(({ path }) => pathOf(each.receiver)?.root === path.root && typeOfPath(file, call.fn, path)),
  );
}

/** The same variable, written as `out`, `*out` or `&out`; or in two functions a field of one name and kind. */
export function sameHandle(
  a: { readonly call: Call; readonly path: Path | undefined },
  b: { readonly call: Call; readonly path: Path | undefined },
): boolean {
  if (!a.path || !b.path) return false;
  const plain = (path: Path) => pathKey(path).replace(/\*$/, '');
  if (a.call.fn === b.call.fn) return plain(a.path) === plain(b.path);
  return a.path.kind === 'this' && b.path.kind === 'this' && a.call.fn.className === b.call.fn.className && plain(a.path) === plain(b.path);
}

/** The functions in which a path of `fn` can be the same handle, in order of the text. */
export function reachOf(file: FileFacts, fn: FunctionFacts, path: Path): readonly FunctionFacts[] {
  if (path.kind !== 'this') return [fn];
  return fn.className === undefined ? file.functions : file.functionsOfClass(fn.className);
}

/** The handle that a field of a call's info struct names. */
export function handleIn(call: Call, field: string): Path | undefined {
  const { values } = fieldAt(call, call.api!.arg('info'), field);
  const only = values.length === 1 && values[0]!.value !== 'zero' ? (values[0]!.value as Expr) : undefined;
  return only && pathOf(stripCasts(only));
}

/** `needs.size`, `needs.memoryRequirements.size`: the variable that the size comes from. */
export function requirementsOf(size: Expr | undefined): string | undefined {
  const path = size && pathOf(stripCasts(size));
  return path && lastName(path) === 'size' ? path.root : undefined;
}
