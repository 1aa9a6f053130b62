// Memory that is a part of a larger block, mapped by another API as if it began where the block begins.

import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, pathKey, pathOf, pathText, walk } from '../facts/paths';
import { fieldAt } from '../flow/definitions';
import { typeOfPath } from '../flow/visible';
import { bareType } from '../knowledge/index';
import { fileQuery } from '../memo/query';
import { fromFunctions } from '../memo/table';

export interface IgnoredOffset {
  readonly mapping: Call;
  /** Where the offset is written, else the mapping. */
  readonly at: Event;
  /** Where the block's memory is read, or where a resource is bound inside it. */
  readonly part: Event;
  readonly offset: string;
}

export function ignoredOffsets(file: FileFacts): IgnoredOffset[] {
  const mappings = file.subjects.flatMap((fn) => (fn.degraded ? [] : fn.calls.filter(mapsAtZero)));
  if (mappings.length === 0) return [];
  return mappings.flatMap((mapping) => {
    const part = partOf(file, mapping.fn) ?? boundInside(file, mapping.fn) ?? vmaPart(file);
    return part ? [{ mapping, at: writtenZero(mapping) ?? mapping, ...part }] : [];
  });
}

/** A mapping of external memory whose offset is surely 0. */
function mapsAtZero(call: Call): boolean {
  const { api } = call;
  if (!api) return false;
  if (/^(glTextureStorageMem2D|glTexStorageMem2D|glNamedBufferStorageMem)$/.test(api.name)) return isZero(api.arg('offset'));
  if (!/^(cu|cuda|hip)ExternalMemoryGetMapped(Buffer|MipmappedArray)$/.test(api.name)) return false;
  const { values, unknown } = fieldAt(call, api.arg('desc'), 'offset');
  return !unknown && values.length > 0 && values.every(({ value }) => value === 'zero' || isZero(value));
}

/** `view.offset = 0`. */
function writtenZero(mapping: Call): Event | undefined {
  const { values } = fieldAt(mapping, mapping.api!.arg('desc'), 'offset');
  const only = values.length === 1 ? values[0]! : undefined;
  return only && only.value !== 'zero' && only.at.kind === 'assign' && only.at.value === only.value && !only.at.declares ? only.at : undefined;
}

function isZero(expr: Expr | undefined): boolean {
  return expr?.kind === 'number' && expr.value === 0;
}

interface Part {
  readonly part: Event;
  readonly offset: string;
}

/** Structs of libraries that stand for a part of a block: the memory's field and the offset's. */
const known: Readonly<Record<string, readonly [memory: string, offset: string] | undefined>> = {
  VmaAllocationInfo: ['deviceMemory', 'offset'],
  'nvvk::MemAllocator::MemInfo': ['memory', 'offset'],
};

/** The function shares the memory of a struct that has an offset beside it, and never looks at the offset. */
function partOf(file: FileFacts, fn: FunctionFacts): Part | undefined {
  const reads = readsIn(fn);
  for (const { path, event } of reads) {
    const field = path.steps.at(-1);
    const owner = field?.startsWith('.') && { ...path, steps: path.steps.slice(0, -1) };
    const offset = owner && offsetBeside(file, fn, owner, field!.slice(1));
    if (!owner || !offset || isDedicated(file)) continue;
    const looks = reads.some((other) => pathKey(other.path).startsWith(pathKey(owner)) && /offset|dedicated/i.test(other.path.steps.at(-1) ?? ''));
    if (!looks && !isHandedOn(fn, owner)) return { part: event, offset: `${pathText(owner)}.${offset}` };
  }
  return undefined;
}

function readsIn(fn: FunctionFacts): { path: Path; event: Event }[] {
  return fn.events.flatMap((event) =>
    expressionsOf(event).flatMap((expr) => [...walk(expr)].flatMap((part) => (part.kind === 'path' ? [{ path: part.path, event }] : []))),
  );
}

/** The offset field of the struct at `owner` when `memory` is its memory field. */
function offsetBeside(file: FileFacts, fn: FunctionFacts, owner: Path, memory: string): string | undefined {
  const type = typeOfPath(file, fn, owner);
  if (!type) return undefined;
  const row = known[type];
  if (row) return row[0] === memory ? row[1] : undefined;
  const fields = file.classNamed(type)?.fields ?? [];
  const isMemory = fields.some((field) => field.name === memory && /^(VkDeviceMemory|vk::DeviceMemory)$/.test(bareType(field.type)));
  return isMemory ? fields.find((field) => /offset/i.test(field.name))?.name : undefined;
}

/** The whole struct goes to code that may look at the offset. */
function isHandedOn(fn: FunctionFacts, owner: Path): boolean {
  const isWhole = (arg: Expr) => pathKey(pathOf(arg) ?? { root: '', kind: 'local', steps: [] }) === pathKey(owner);
  return fn.calls.some((call) => !call.api && call.args.some(isWhole));
}

const isDedicated = fileQuery((file) =>
  file.hasToken('word', /DEDICATED_MEMORY|eDedicatedMemory|VkMemoryDedicatedAllocateInfo|^MemoryDedicatedAllocateInfo/),
);

/** In one function a resource is bound at a computed offset of the memory that is exported. */
function boundInside(file: FileFacts, fn: FunctionFacts): Part | undefined {
  for (const bind of fn.calls) {
    if (!/^vkBind(Buffer|Image)Memory$/.test(bind.api?.name ?? '')) continue;
    const offset = bind.api!.arg('offset');
    const memory = bind.api!.path('memory');
    const isExported = memory && fn.calls.some((call) => /^vkGetMemory(Fd|Win32Handle)$/.test(call.api?.name ?? '') && exports(call, memory));
    if (isExported && offset && (offset.kind === 'path' || offset.kind === 'binary') && !usesOffset(fn, offset, bind))
      return { part: bind, offset: file.source(offset) };
  }
  return undefined;
}

function exports(call: Call, memory: Path): boolean {
  const { values } = fieldAt(call, call.api!.arg('info'), 'memory');
  return values.some(({ value }) => value !== 'zero' && pathKey(pathOf(value) ?? { root: '', kind: 'local', steps: [] }) === pathKey(memory));
}

/** The offset is read again after the binding. */
function usesOffset(fn: FunctionFacts, offset: Expr, bind: Call): boolean {
  const names = [...walk(offset)].flatMap((part) => (part.kind === 'path' ? [pathKey(part.path)] : []));
  return readsIn(fn).some(({ path, event }) => event.id > bind.id && names.includes(pathKey(path)));
}

/** A file that exports VMA's blocks and never reads the offset of an allocation. */
function vmaPart(file: FileFacts): Part | undefined {
  const reads = vmaReads(file);
  const part = reads.find(({ path }) => path.steps.at(-1) === '.deviceMemory');
  if (!part || reads.some(({ path }) => path.steps.at(-1) === '.offset') || isDedicated(file)) return undefined;
  return { part: part.event, offset: `${pathText({ ...part.path, steps: part.path.steps.slice(0, -1) })}.offset` };
}

const vmaReads = fromFunctions((file, fn) => readsIn(fn).filter(({ path }) => isVmaInfo(file, fn, path)));

function isVmaInfo(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  return path.steps.length > 0 && typeOfPath(file, fn, { ...path, steps: path.steps.slice(0, -1) }) === 'VmaAllocationInfo';
}
