// IPC handles of pointers that lie inside an allocation: the handle is that of the whole allocation.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, lastName, pathOf, stripCasts, walk } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { typeOfPath } from '../flow/visible';
import { functionTable } from '../memo/table';

export interface DroppedOffset {
  readonly at: Call;
  /** The field that nobody fills, or the tensor whose pointer it is. */
  readonly what: string;
  readonly kind: 'field' | 'tensor';
}

/** Functions that tell where an allocation begins. */
const bases = callsTo(/^(cuMemGetAddressRange|cuPointerGetAttributes?|hipMemGetAddressRange|hipPointerGetAttributes?)$/);

export function droppedOffsets(file: FileFacts, fn: FunctionFacts): DroppedOffset[] {
  const handles = fn.calls.filter((call) => /^(cuda|cu|hip)IpcGetMemHandle$/.test(call.api?.name ?? ''));
  if (handles.length === 0 || fn.degraded || knowsBases(file)) return [];
  return handles.flatMap((call) => tensorPointer(file, call) ?? unfilledField(file, call) ?? []);
}

function knowsBases(file: FileFacts): boolean {
  return bases(file).length > 0 || file.hasToken('word', /^(cu|hip)(MemGetAddressRange|PointerGetAttribute)|RANGE_START_ADDR/);
}

/** `tensor.data_ptr()`: the caching allocator cuts its tensors out of blocks. */
function tensorPointer(file: FileFacts, call: Call): DroppedOffset | undefined {
  const pointer = stripCasts(call.api!.arg('ptr') ?? call);
  if (wrapsMemory(file) || pointer.kind !== 'call' || !/^(mutable_|const_)?data_ptr\b/.test(pointer.name) || !pointer.receiver) return undefined;
  const tensor = pathOf(pointer.receiver);
  return tensor && { at: call, what: lastName(tensor), kind: 'tensor' };
}

/** Tensors over memory of one's own have their allocation's address. */
function wrapsMemory(file: FileFacts): boolean {
  return file.hasToken('word', /^from_blob$/);
}

/** The handle of a caller's pointer goes into a struct whose offset is read somewhere and filled nowhere. */
function unfilledField(file: FileFacts, call: Call): DroppedOffset | undefined {
  const handle = call.api!.path('handle');
  const pointer = pathOf(call.api!.arg('ptr'));
  if (!handle || pointer?.kind !== 'param' || !handle.steps.at(-1)?.startsWith('.')) return undefined;
  const owner: Path = { ...handle, steps: handle.steps.slice(0, -1) };
  const type = typeOfPath(file, call.fn, owner);
  const field = type && file.classNamed(type)?.fields.find((each) => /offset/i.test(each.name));
  if (!field || field.init || uses.of(file, `=${field.name}`).length > 0 || uses.of(file, field.name).length === 0) return undefined;
  return { at: call, what: field.name, kind: 'field' };
}

/** Fields called offset, by name where they are read, by `=` and name where they are written. */
const uses = functionTable((_, fn) =>
  fn.events.flatMap((event) => expressionsOf(event).flatMap((root) => [...named(event.kind === 'assign' && root === event.target, root)])),
);

function named(isTarget: boolean, root: Expr): (readonly [string, Expr])[] {
  return [...walk(root)].flatMap((part): (readonly [string, Expr])[] => {
    if (part.kind === 'init') return part.entries.flatMap(({ field, value }) => (isOffset(field) ? [[`=${field}`, value] as const] : []));
    // By address somebody else may fill it.
    if (part.kind === 'unary' && part.op === '&') return fieldOf(part.operand).map((name) => [`=${name}`, part] as const);
    return fieldOf(part).map((name) => [isTarget && part === root ? `=${name}` : name, part] as const);
  });
}

function fieldOf(expr: Expr): string[] {
  const last = expr.kind === 'path' ? expr.path.steps.at(-1)?.slice(1) : undefined;
  return last !== undefined && isOffset(last) ? [last] : [];
}

function isOffset(name: string | undefined): boolean {
  return name !== undefined && /offset/i.test(name);
}
