// What the `pValues` of a wait for semaphores points at.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { addressOf, mentions, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { fieldAt, valueAt } from '../flow/definitions';
import { declaredTypeOf } from '../flow/visible';

export interface WaitedValue {
  /** What is pointed at, when it outlives the call: a field, a global, a captured variable, a member reached through a pointer. */
  readonly counter: Path;
  /** Where that is written. */
  readonly at: Expr | Event;
}

interface Written {
  readonly value: Expr;
  readonly at: Expr | Event;
  /** vulkan.hpp takes the value itself by reference. */
  readonly byReference: boolean;
}

export function waitedValue(file: FileFacts, call: Call): WaitedValue | undefined {
  const written = fromField(call, 'pValues') ?? fromField(call, 'values') ?? fromSetter(call) ?? fromConstructor(file, call);
  const path = written && pointedAt(file, call, written);
  const counter = path && shared(call.fn, path);
  return counter && { counter, at: written.at };
}

/** `values`: what a chain of setters in place of the struct has written. */
function fromField(call: Call, name: 'pValues' | 'values'): Written | undefined {
  const info = call.api!.arg('info');
  const { values } = fieldAt(call, info && unwrap(info), name);
  const [only] = values;
  if (values.length !== 1 || !only || only.value === 'zero' || (only.at.kind === 'call' && only.at !== call)) return undefined;
  const at = only.at.kind === 'assign' && only.at.value === only.value ? only.at : only.value;
  return { value: only.value, at, byReference: name === 'values' };
}

function unwrap(expr: Expr): Expr {
  const bare = stripCasts(expr);
  return bare.kind === 'unary' && bare.op === '&' ? unwrap(bare.operand) : bare;
}

function callsInside(call: Call): Call[] {
  return [...walk(call)].filter((each): each is Call => each.kind === 'call');
}

/** `info.setPValues(&value)` and `info.setValues(value)`, in a chain or on a variable. */
function fromSetter(call: Call): Written | undefined {
  const path = pathOf(call.api!.arg('info'));
  const before = call.fn.calls.filter((each) => each.id < call.id && path && mentions(each.receiver, path));
  const setter = [...before, ...callsInside(call)].findLast((each) => /^setP?Values$/.test(each.name));
  const value = setter?.args[0];
  return setter && value && { value, at: setter, byReference: setter.name === 'setValues' };
}

/** `vk::SemaphoreWaitInfo info({}, 1, &semaphore, &value)`, or with ranges in place of counts and pointers: `info({}, semaphore, value)`. */
function fromConstructor(file: FileFacts, call: Call): Written | undefined {
  const path = pathOf(call.api!.arg('info'));
  const built = call.fn.events.findLast(
    (each) => each.kind === 'assign' && each.id < call.id && !!path && samePath(pathOf(each.target), path) && each.declares !== undefined,
  );
  const value = built?.kind === 'assign' ? built.value : undefined;
  const made =
    value?.kind === 'call' && /SemaphoreWaitInfo/.test(file.source(value))
      ? value
      : callsInside(call).find((each) => /SemaphoreWaitInfo/.test(each.name));
  const pointer = made?.args.find((arg, i) => i >= 2 && addressOf(arg));
  if (pointer) return { value: pointer, at: pointer, byReference: false };
  const range = made && made.args.length <= 4 ? made.args[2] : undefined;
  return range && { value: range, at: range, byReference: true };
}

/** `&x`, `xs.data()`, `xs` of an array, or a local pointer to one of them. */
function pointedAt(file: FileFacts, call: Call, { value, byReference }: Written): Path | undefined {
  const bare = stripCasts(value);
  const known = bare.kind === 'path' && !byReference ? valueAt(call, bare) : bare;
  if (!known || known === 'zero') return undefined;
  const target = stripCasts(known);
  if (target.kind === 'unary' && target.op === '&') return pathOf(target.operand);
  if (target.kind === 'call') return target.name === 'data' ? pathOf(target) : undefined;
  if (target.kind !== 'path') return undefined;
  return byReference || isArray(file, call.fn, target.path) ? target.path : undefined;
}

function isArray(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  return !path.steps.at(-1)?.startsWith('[') && /\]$/.test(declaredTypeOf(file, fn, path) ?? '');
}

function shared(fn: FunctionFacts, written: Path): Path | undefined {
  const path = behindLocal(fn, written);
  if (path.kind === 'local') return isPointer(fn, path.root) && path.steps.length > 0 ? path : undefined;
  return path.kind === 'param' && path.steps.length === 0 ? undefined : path;
}

/** The path without the local reference or pointer that it begins with: `slots_[i].value` for `slot.value` of `auto& slot = slots_[i]`. */
export function behindLocal(fn: FunctionFacts, path: Path): Path {
  if (path.kind !== 'local' || !isPointer(fn, path.root)) return path;
  const made = fn.events.find((event) => event.kind === 'assign' && event.declares?.name === path.root && event.value !== undefined);
  const source = made?.kind === 'assign' ? stripCasts(made.value!) : undefined;
  const to =
    source?.kind === 'unary' && source.op === '&'
      ? pathOf(source.operand)
      : source?.kind === 'path' && isElement(source.path)
        ? source.path
        : undefined;
  return to ? { ...to, steps: [...to.steps, ...path.steps] } : path;
}

/** Something inside of something: a plain name may be a pointer whose type tells more. */
function isElement(path: Path): boolean {
  return path.steps.length > 0;
}

function isPointer(fn: FunctionFacts, name: string): boolean {
  return /[*&]$/.test(fn.locals.find((each) => each.name === name)?.type ?? '');
}
