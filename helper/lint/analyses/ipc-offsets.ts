// IPC handles of pointers that lie inside an allocation: the handle is that of the whole allocation.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, lastName, pathOf, stripCasts, walk } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { valueAt } from '../flow/definitions';
import { typeOfPath } from '../flow/visible';
import { functionTable } from '../memo/table';

export interface DroppedOffset {
  readonly at: Call;
  /** The field that nobody fills, the tensor whose pointer it is, or the pointer as it is computed. */
  readonly what: string;
  readonly kind: 'field' | 'tensor' | 'computed';
}

/** Functions that tell where an allocation begins. */
const bases = callsTo(/^(cuMemGetAddressRange|cuPointerGetAttributes?|hipMemGetAddressRange|hipPointerGetAttributes?)$/);

export function droppedOffsets(file: FileFacts, fn: FunctionFacts): DroppedOffset[] {
  const handles = fn.calls.filter((call) => /^(cuda|cu|hip)IpcGetMemHandle$/.test(call.api?.name ?? ''));
  if (handles.length === 0 || fn.degraded || knowsBases(file)) return [];
  return handles.flatMap((call) => tensorPointer(file, call) ?? unfilledField(file, call) ?? computedPointer(file, call) ?? []);
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

/** `base + slot * bytes`, `&base[i * n]`, and nothing in the function or beside the handle is called offset. */
function computedPointer(file: FileFacts, call: Call): DroppedOffset | undefined {
  const written = call.api!.arg('ptr');
  const value = written && valueAt(call, stripCasts(written));
  const pointer = value && value !== 'zero' ? stripCasts(value) : undefined;
  if (!pointer || !isInside(pointer)) return undefined;
  const handle = call.api!.path('handle');
  const type = handle && typeOfPath(file, call.fn, { ...handle, steps: handle.steps.slice(0, -1) });
  const fields = type && handle.steps.length > 0 ? (file.classNamed(type)?.fields ?? []) : [];
  const { fn } = call;
  const names = [...fields, ...fn.params, ...fn.locals].map(({ name }) => name);
  const tells = names.some((name) => /off|index|slot_?id|delta|base_?addr/i.test(name) && !/off_?t$/i.test(name) && isKept(name, fields, fn));
  if (tells || fn.events.some((event) => expressionsOf(event).some((root) => [...walk(root)].some((part) => fieldOf(part).length > 0))))
    return undefined;
  return { at: call, what: file.source(written!), kind: 'computed' };
}

/** A field of the message, or a variable that says by its name what it is for. */
function isKept(name: string, fields: readonly { readonly name: string }[], fn: FunctionFacts): boolean {
  return fields.some((field) => field.name === name) || (isOffset(name) && [...fn.params, ...fn.locals].some((each) => each.name === name));
}

function isInside(pointer: Expr): boolean {
  if (pointer.kind === 'binary' && pointer.op === '+') return !(pointer.right.kind === 'number' && pointer.right.value === 0);
  const step = pointer.kind === 'unary' && pointer.op === '&' ? pathOf(pointer.operand)?.steps.at(-1) : undefined;
  return step !== undefined && /^\[/.test(step) && step !== '[0]';
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
