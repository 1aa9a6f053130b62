// C and C++: views over memory of a local that outlive the function.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { declarationOf, lastName, pathOf, stripCasts, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { isTensor } from './dlpack';
import { isKept, localMemory } from './local-storage';

/** C and C++: fields of a tensor that leaves the function, and views that are returned, over memory of a local. */
export function handedOut(file: FileFacts, fn: FunctionFacts): { at: Event; name: string }[] {
  return fn.events.flatMap((event) => {
    const blob = event.kind === 'return' ? blobData(fn, event, event.value) : undefined;
    const written = event.kind === 'assign' ? tensorFields(file, fn, event) : blob ? [blob] : [];
    const memory = written.flatMap((each) => localMemory(fn, each) ?? []).find((each) => !isKept(fn, each));
    return memory ? [{ at: event, name: memory.variable.name }] : [];
  });
}

/** What is put into `data`, `shape` or `strides` of a tensor that leaves the function. */
function tensorFields(file: FileFacts, fn: FunctionFacts, event: Assign): readonly Expr[] {
  const path = pathOf(event.target);
  if (!path || event.op !== '=' || !event.value) return [];
  const isField = /^\.(data|shape|strides)$/.test(path.steps.at(-1) ?? '');
  const owner = isField ? { ...path, steps: path.steps.slice(0, -1) } : path;
  const value = stripCasts(event.value);
  if (!isField && value.kind !== 'init') return [];
  if (!isTensor(file, fn, owner) || !leaves(fn, owner, event)) return [];
  return value.kind === 'init' && !isField ? pointersIn(value) : [event.value];
}

const order = ['data', 'device', 'ndim', 'dtype', 'shape', 'strides', 'byte_offset'];

/** `{data, device, ndim, dtype, shape, strides, 0}` */
function pointersIn(tensor: Expr & { kind: 'init' }): Expr[] {
  return tensor.entries.flatMap(({ field, value }, i) => (/^(data|shape|strides)$/.test(field ?? order[i] ?? '') ? [value] : []));
}

/** Somebody has the tensor when the function is over: it is the caller's, the object's, on the heap, or returned. */
function leaves(fn: FunctionFacts, path: Path, at: Event, depth = 4): boolean {
  if (path.kind !== 'local') return true;
  const local = declarationOf(fn, path);
  if (isHeap(fn, local?.type ?? '', path.root) || isOwnedHeap(fn, path.root)) return true;
  const isAlias = /[*&]$/.test(local?.type ?? '') || path.steps.length > 0;
  const declared = fn.events.find((event) => event.kind === 'assign' && event.declares?.name === path.root && event.id < at.id);
  const source = declared?.kind === 'assign' ? pathOf(declared.value) : undefined;
  if (isAlias && source && depth > 0) return leaves(fn, source, at, depth - 1);
  return !isAlias && fn.events.some((event) => event.kind === 'return' && event.id > at.id && isItself(event.value, path.root));
}

function isItself(value: Expr | undefined, name: string): boolean {
  const bare = value && stripCasts(value);
  return bare?.kind === 'path' && bare.path.root === name && bare.path.steps.length === 0;
}

/** A smart pointer that was made here and that lets go of what it has. */
function isOwnedHeap(fn: FunctionFacts, name: string): boolean {
  const made = fn.events.some(
    (event) =>
      event.kind === 'assign' &&
      event.declares?.name === name &&
      event.value &&
      [...walk(event.value)].some((part) => part.kind === 'call' && /^make_(unique|shared)\b/.test(part.name)),
  );
  const isGone = ({ name: called, receiver, args }: Call) =>
    (called === 'release' && isItself(receiver, name)) || (called === 'move' && isItself(args[0], name));
  return made && (fn.calls.some(isGone) || fn.events.some((event) => event.kind === 'return' && isItself(event.value, name)));
}

/** A pointer to something that was allocated here, and not freed here. */
function isHeap(fn: FunctionFacts, type: string, name: string): boolean {
  const made = fn.events.some(
    (event) =>
      event.kind === 'assign' &&
      event.declares?.name === name &&
      event.value &&
      [...walk(event.value)].some((part) => part.kind === 'call' && (part.form === 'new' || /alloc$/i.test(part.name))),
  );
  return (
    /\*$/.test(type) && made && !fn.calls.some((call) => (call.form === 'delete' || call.name === 'free') && pathOf(call.args[0])?.root === name)
  );
}

/** `return torch::from_blob(local.data(), ...)`, also through a local; a `clone()` makes it a copy. */
function blobData(fn: FunctionFacts, at: Event, value: Expr | undefined): Expr | undefined {
  const bare = value && stripCasts(value);
  const known = bare?.kind === 'path' ? valueAt(at, bare) : bare;
  if (known === undefined || known === 'zero' || known.kind !== 'call' || known.name !== 'from_blob') return undefined;
  const isCopied =
    known !== bare &&
    fn.calls.some(
      (call) =>
        /^(clone|copy_|contiguous|to|cuda)$/.test(call.name) &&
        bare?.kind === 'path' &&
        call.receiver?.kind === 'path' &&
        lastName(call.receiver.path) === lastName(bare.path),
    );
  return isCopied || known.args.some((arg) => arg.kind === 'lambda') ? undefined : known.args[0];
}
