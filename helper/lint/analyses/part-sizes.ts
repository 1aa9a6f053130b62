// Imports that are told the size of a part: of a suballocation in a pool, of the rows of a picture, of a picture of fixed size.
import type { Call, Expr, FileFacts, Path } from '../facts/index';
import { expressionsOf, lastName, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { fieldAt, valueAt } from '../flow/definitions';
import { typeOfPath } from '../flow/visible';
import { fileQuery } from '../memo/query';

export interface PartSize {
  readonly kind: 'pool' | 'rows';
  /** What shows that the memory is larger. */
  readonly at: Expr | undefined;
}

/** Whether a size is that of a part of the memory; undefined when nothing tells. */
export function partSize(file: FileFacts, call: Call, size: Expr): PartSize | undefined {
  const value = valueAt(call, stripCasts(size));
  if (!value || value === 'zero') return undefined;
  const bare = stripCasts(value);
  const path = pathOf(bare);
  if (path && lastName(path) === 'size') {
    const owner = { ...path, steps: path.steps.slice(0, -1) };
    const type = typeOfPath(file, call.fn, owner);
    if (/^(Vk|vk::)SubresourceLayout$/.test(type ?? '')) return { kind: 'rows', at: undefined };
    if (/^(Vma|vma::)AllocationInfo$/.test(type ?? '') && !isDedicated(file)) return { kind: 'pool', at: offsetOf(call, owner) };
  }
  const mapped = mappedBehind(file, call, bare);
  if (mapped) return { kind: 'pool', at: mapped };
  return isOfPicture(bare) ? { kind: 'rows', at: undefined } : undefined;
}

/** The bytes of a picture's rows, or of a picture of fixed size. */
export function isOfPicture(size: Expr): boolean {
  return countsRows(size) || isFixedPicture(size);
}

/** Somewhere memory is asked for that holds nothing else; then the sizes agree. */
const isDedicated = fileQuery((file) => file.hasToken('word', /DEDICATED_MEMORY|eDedicatedMemory|DedicatedAllocate/));

function offsetOf(call: Call, owner: Path): Expr | undefined {
  for (const event of call.fn.events)
    for (const expr of expressionsOf(event).flatMap((each) => walk(each)))
      if (expr.kind === 'path' && lastName(expr.path) === 'offset' && samePath({ ...expr.path, steps: expr.path.steps.slice(0, -1) }, owner))
        return expr;
  return undefined;
}

/** The function maps as many bytes as it imports, but from an offset on: the import ends before the mapping does. */
function mappedBehind(file: FileFacts, call: Call, size: Expr): Expr | undefined {
  const memory = call.api!.path('memory');
  for (const mapping of call.fn.calls) {
    if (mapping.id < call.id || !/^(cu|cuda|hip)ExternalMemoryGetMappedBuffer$/.test(mapping.api?.name ?? '')) continue;
    const given = pathOf(mapping.api!.arg('memory'));
    if (!memory || !given || given.root !== memory.root) continue;
    const [offset, mapped] = ['offset', 'size'].map((field) => only(mapping, field));
    if (offset && mapped && file.source(mapped) === file.source(size) && isPlace(offset)) return offset;
  }
  return undefined;
}

function only(call: Call, field: string): Expr | undefined {
  const { values, unknown } = fieldAt(call, call.api!.arg('desc'), field);
  const [first] = values;
  if (unknown || values.length !== 1 || !first || first.value === 'zero') return undefined;
  const value = valueAt(first.at, stripCasts(first.value));
  return value === undefined || value === 'zero' ? undefined : stripCasts(value);
}

/** An offset with a name, or a number that is not 0. */
function isPlace(offset: Expr): boolean {
  return offset.kind === 'number' ? offset.value !== 0 : offset.kind === 'path' && /offset|begin|start/i.test(lastName(offset.path));
}

const pitches =
  /^(row|line)?_?(pitch|stride|step)$|(row|line|width|bytes?)_?(pitch|stride|step)(_?bytes)?$|^(pitch|stride)_?(in_)?bytes$|^linesize$/i;
const rows = /^_?(m_)?(h|height|rows)_?$|height$/i;

/** A pitch times a number of rows: what a linear copy of the picture takes. */
function countsRows(expr: Expr): boolean {
  const factors = factorsOf(expr);
  const names = factors.flatMap((factor) => (factor.kind === 'path' ? lastName(factor.path) : factor.kind === 'member' ? factor.name : []));
  return names.some((name) => pitches.test(name)) && names.some((name) => rows.test(name));
}

/** `1920 * 1080 * 4`: at least two factors that are sizes of pictures and not of memory. */
function isFixedPicture(expr: Expr): boolean {
  const factors = factorsOf(expr);
  const isSide = (factor: Expr) => factor.kind === 'number' && factor.value >= 240 && factor.value % 1024 !== 0 && factor.value <= 16384;
  return factors.length > 1 && factors.filter(isSide).length >= 2;
}

function factorsOf(expr: Expr): Expr[] {
  const bare = stripCasts(expr);
  return bare.kind === 'binary' && bare.op === '*' ? [...factorsOf(bare.left), ...factorsOf(bare.right)] : [bare];
}
