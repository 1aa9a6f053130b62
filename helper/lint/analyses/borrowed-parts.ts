// Pointers into a DLPack tensor of somebody else (its shape, its strides, its data) that were copied out of it and are freed by their copy.
import type { Assign, Call, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathOf, samePath } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { fromFunctions } from '../memo/table';
import { eventId } from './cuda-events';
import { produces } from './dlpack';
import { isDeleterCall } from './managed-tensor';

export interface FreedPart {
  readonly free: Call;
  readonly copy: Assign;
}

interface Copy {
  readonly id: string;
  /** Undefined for anything else that the field is given. */
  readonly from: Path | undefined;
  readonly assign: Assign;
}

const part = /^\.(shape|strides|data)$/;

/** The tensor that `managed->dl_tensor.shape` is a part of. */
function tensorOf(path: Path | undefined): Path | undefined {
  const { steps } = path ?? { steps: [] };
  return path && part.test(steps.at(-1) ?? '') && steps.at(-2) === '.dl_tensor' ? { ...path, steps: steps.slice(0, -1) } : undefined;
}

/** What fields of structs and classes are given; null does not count. */
const copies = fromFunctions((file, fn): readonly Copy[] =>
  fn.events.flatMap((event): Copy[] => {
    const target = event.kind === 'assign' && event.value && event.value.kind !== 'null' ? pathOf(event.target) : undefined;
    if (event.kind !== 'assign' || !target || target.steps.length === 0) return [];
    const id = eventId(file, fn, target);
    const tensor = tensorOf(pathOf(event.value));
    return id ? [{ id, from: tensor && !produces(file, fn, tensor) ? tensor : undefined, assign: event }] : [];
  }),
);

export function freedParts(file: FileFacts): FreedPart[] {
  return file.subjects.flatMap((fn) =>
    fn.degraded ? [] : fn.calls.filter(frees).flatMap((free) => freedField(file, fn, free) ?? freedLocal(file, fn, free) ?? []),
  );
}

function frees(call: Call): boolean {
  if (call.form === 'delete') return true;
  return /^(free|PyMem_Free|PyMem_RawFree|_?aligned_free|_mm_free)$/.test(call.name) || call.api?.does('free') === true;
}

/** A field that holds nothing but parts of tensors. */
function freedField(file: FileFacts, fn: FunctionFacts, free: Call): FreedPart | undefined {
  const path = pathOf(free.args[0]);
  const id = path && path.steps.length > 0 && !tensorOf(path) ? eventId(file, fn, path) : undefined;
  const given = id ? copies(file).filter((copy) => copy.id === id) : [];
  return given.length > 0 && given.every((copy) => copy.from) ? { free, copy: given[0]!.assign } : undefined;
}

/** A local of a function that also calls the deleter, so it is not the deleter itself. */
function freedLocal(file: FileFacts, fn: FunctionFacts, free: Call): FreedPart | undefined {
  const path = pathOf(free.args[0]);
  if (path?.kind !== 'local' || path.steps.length > 0) return undefined;
  const value = valueAt(free, { kind: 'path', path, span: free.span });
  const tensor = value === 'zero' ? undefined : tensorOf(pathOf(value));
  if (!tensor || produces(file, fn, tensor)) return undefined;
  const owner = { ...tensor, steps: tensor.steps.slice(0, -1) };
  const isEnded = fn.calls.some((call) => isDeleterCall(call) && samePath(pathOf(call.args[0]), owner));
  const copy = fn.events.find((event): event is Assign => event.kind === 'assign' && samePath(pathOf(event.target), path));
  return isEnded && copy ? { free, copy } : undefined;
}
