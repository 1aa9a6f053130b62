// Python: imports of external memory that are told the size of a picture.
import type { Assign, Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { lastName, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { isSizeElsewhere, pixelProduct } from './import-sizes';
import { isOfPicture } from './part-sizes';
import { assignmentsInto, structGiven } from './python-fd-transfers';

export interface PictureSize {
  readonly importer: Call;
  /** The size as the import gets it, and what it is computed from. */
  readonly size: Expr;
  readonly counted: Expr;
  readonly kind: 'pixels' | 'rows';
}

export function pictureSizes(file: FileFacts, fn: FunctionFacts): PictureSize[] {
  if (fn.degraded) return [];
  return fn.calls.flatMap((importer): PictureSize[] => {
    const size = sizeOf(file, importer);
    if (!size) return [];
    const product = pixelProduct(file, importer, size);
    if (product) return [{ importer, size, counted: product, kind: 'pixels' }];
    const value = valueAt(importer, stripCasts(size));
    const isRows = value !== undefined && value !== 'zero' && isOfPicture(value) && !isSizeElsewhere(file, importer, size);
    return isRows ? [{ importer, size, counted: value, kind: 'rows' }] : [];
  });
}

const imports = /(^|\.)(cu|cuda|hip)ImportExternalMemory$/;

/** The size that an import is told, where the handle is one whose allocation has a size of its own. */
function sizeOf(file: FileFacts, call: Call): Expr | undefined {
  if (/(^|\.)glImportMemoryFdEXT$/.test(call.callee)) return call.args[1];
  if (/(^|\.)vkAllocateMemory$/.test(call.callee)) return importedAllocation(call);
  const described = imports.test(call.callee) ? structGiven(call) : undefined;
  if (!described) return undefined;
  const made = madeBy(call, described);
  const written = assignmentsInto(call.fn, described, call);
  const type = lastOf(written, /^type_?$/) ?? made?.keywords.get('type');
  if (type && /D3D11|Nvsci/i.test(file.source(type))) return undefined;
  return lastOf(written, /^size$/) ?? made?.keywords.get('size');
}

function lastOf(written: readonly Assign[], name: RegExp): Expr | undefined {
  return written.findLast(({ target }) => name.test(lastName(pathOf(target)!)))?.value;
}

/** `desc = cudaExternalMemoryHandleDesc(size=...)`. */
function madeBy({ fn, id }: Call, path: Path): Call | undefined {
  return fn.calls.findLast((each) => each.id < id && samePath(each.result, path));
}

/** `allocationSize` of the package `vulkan`, where an import lies on the chain of the same call. */
function importedAllocation(call: Call): Expr | undefined {
  const given = call.args.flatMap((arg) => (arg.kind === 'call' ? [arg] : [pathOf(arg)].flatMap((path) => (path ? (madeBy(call, path) ?? []) : []))));
  const info = given.find((each) => /(^|\.)VkMemoryAllocateInfo$/.test(each.callee));
  const next = info?.keywords.get('pNext');
  const made = next && walk(next).flatMap((part) => (part.kind === 'call' ? [part] : part.kind === 'path' ? (madeBy(call, part.path) ?? []) : []));
  return made?.some((each) => /VkImportMemoryFdInfoKHR$/.test(each.callee)) ? info!.keywords.get('allocationSize') : undefined;
}
