// Evidence that CUDA work touches memory that another API shares.
import type { Call, Expr, FileFacts, Path } from '../facts/index';
import { lastName, pathOf, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { typeOfPath } from '../flow/visible';
import { fileQuery } from '../memo/query';
import { fromFunctions } from '../memo/table';

const imageTypes =
  /^(cudaArray_t|cudaArray|CUarray|cudaMipmappedArray_t|CUmipmappedArray|cudaSurfaceObject_t|CUsurfObject|cudaTextureObject_t|CUtexObject)$/;

/** Last names of what the file maps from external memory or graphics resources. */
const mappedNames = fileQuery((file): ReadonlySet<string> => new Set(namesMapped(file)));

const namesMapped = fromFunctions((_, fn) => fn.calls.flatMap((call) => mappedBy(call) ?? []));

function mappedBy(call: Call): string | undefined {
  const { api } = call;
  if (!api || !/^(cuda-driver|cuda-runtime|hip)$/.test(api.api.family)) return undefined;
  const isMapping = api.does('map') || /(MappedPointer|MappedArray|MappedMipmappedArray|MipmappedArrayGetLevel|MipmappedArrayLevel)$/.test(api.name);
  const path = isMapping ? (api.path('ptr') ?? api.path('array') ?? api.path('chain')) : undefined;
  return path && lastName(path);
}

function isShared(file: FileFacts, call: Call, path: Path): boolean {
  const type = typeOfPath(file, call.fn, path);
  return (
    (type !== undefined && imageTypes.test(type)) ||
    mappedNames(file).has(lastName(path)) ||
    /shared_?(mem|buf|img|image|frame|array|surf)|interop/i.test(lastName(path))
  );
}

/** An argument is an image handle, or named like something that the file maps from the other API. */
export function touchesShared(file: FileFacts, call: Call): boolean {
  return call.args.some((arg) => [...walk(arg)].some((part) => part.kind === 'path' && isShared(file, call, resolved(call, part))));
}

function resolved(call: Call, part: Expr & { kind: 'path' }): Path {
  const value = valueAt(call, part);
  return (value !== undefined && value !== 'zero' && pathOf(value)) || part.path;
}
