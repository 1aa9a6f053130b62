/**
 * # dlpack/owner-dropped
 *
 * ## What it does
 * Reports a pointer that outlives the memory it points to. Python: `__cuda_array_interface__`, `data_ptr()` or `data.ptr` of a temporary, or
 * of a local that dies on return; `UnownedMemory(..., owner=None)` over one; a ctypes struct with the address of an array that dies. C++: a tensor that is handed out with `data`, `shape` or
 * `strides` in a local array or container, and `from_blob` over one.
 *
 * ## Why is this bad
 * The interface dictionary and the number keep nothing alive. The pool takes the memory back at once and gives it to the next allocation,
 * so the consumer reads whatever is written there next: mostly right in a test, wrong under load.
 *
 * ## Example
 * ```python
 * import torch
 * def launch(kernel, frame):
 *     pointer = frame.contiguous().data_ptr()
 *     kernel(pointer, frame.numel())
 * ```
 *
 * ## Use instead
 * ```python
 * import torch
 * def launch(kernel, frame):
 *     pixels = frame.contiguous()
 *     kernel(pixels.data_ptr(), pixels.numel())
 * ```
 *
 * ## What it cannot see
 * Functions of other files that return a temporary, owners kept by code that the file does not show, and pointers that are used within the
 * expression that makes the temporary.
 */
import { dyingFields } from '../../analyses/ctypes-fields';
import { type Pointer, pointerOf, pointerSteps } from '../../analyses/device-arrays';
import { isFresh } from '../../analyses/fresh-arrays';
import { handedOut } from '../../analyses/handed-out-memory';
import type { Assign, Call, ClassFacts, Event, Expr, FileFacts, FunctionFacts, Path, Return } from '../../facts/index';
import { expressionsOf, pathOf, samePath, stripCasts, walk } from '../../facts/paths';
import { definitionsAt, valueAt } from '../../flow/definitions';
import { resolveCallee } from '../../flow/program';
import { defineRule } from '../rule';

interface Data {
  readonly kind: 'temporary' | 'local' | 'stored' | 'unowned' | 'ctypes' | 'handed-out';
  readonly name: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'dlpack/owner-dropped',
    summary: 'A view or pointer outlives the temporary or local that owns its memory.',
    severity: 'error',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ kind, name }) {
    switch (kind) {
      case 'temporary':
        return `\`${name}\` is taken from a temporary that is freed at the end of this statement: the pointer keeps nothing alive, and the memory goes to the next allocation. Give the array a name that lives as long as the pointer.`;
      case 'local':
        return `A pointer into \`${name}\` is returned, but \`${name}\` is freed when the function returns: the pointer keeps nothing alive. Return the array itself, or keep it where the pointer is kept.`;
      case 'stored':
        return `A pointer into \`${name}\` is kept here, but \`${name}\` is freed when the function returns: the pointer keeps nothing alive. Keep the array itself beside the pointer.`;
      case 'unowned':
        return `This memory is wrapped with owner=None, but \`${name}\`, which owns it, is freed when the function returns. Pass \`${name}\` as the owner.`;
      case 'ctypes':
        return `The struct goes on without \`${name}\`, of which it holds only the address: the array is freed when the function returns, and whoever reads the struct reads freed memory. Keep \`${name}\` where the struct is kept.`;
      case 'handed-out':
        return `The memory of the local \`${name}\` goes out of this function in a view, but dies with the function: whoever reads the view reads freed memory. Allocate it together with the view, or keep the owner in its context.`;
    }
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (file.language === 'python') {
        for (const { at, data } of inPython(file, fn)) report({ at, data });
        for (const { at, name } of dyingFields(fn)) report({ at, data: { kind: 'ctypes', name } });
      } else {
        for (const { at, name } of handedOut(file, fn)) report({ at, data: { kind: 'handed-out', name } });
      }
    }
  },
});

function inPython(file: FileFacts, fn: FunctionFacts): { at: Expr | Event; data: Data }[] {
  const temporaries = fn.events.flatMap((event) => {
    if ((event.kind !== 'assign' && event.kind !== 'return') || !event.value) return [];
    const found = lasting(event.value, file);
    if (!found || !isFresh(file, found.array) || (event.kind === 'assign' && readsOnlyLayout(fn, event))) return [];
    return [{ at: found.expr, data: { kind: 'temporary' as const, name: found.by } }];
  });
  const returned = fn.events.flatMap((event) => {
    const name = event.kind === 'return' && event.value ? localBehind(file, fn, event, event.value) : undefined;
    return name ? [{ at: event, data: { kind: 'local' as const, name } }] : [];
  });
  const stored = fn.events.flatMap((event) => {
    const name = event.kind === 'assign' && event.value && outlives(event) ? localBehind(file, fn, event, event.value) : undefined;
    return name ? [{ at: event, data: { kind: 'stored' as const, name } }] : [];
  });
  const unowned = temporaries.length > 0 ? [] : fn.calls.flatMap((call) => unownedLocal(file, fn, call) ?? []);
  return [...temporaries, ...(unowned.length > 0 ? [] : returned), ...stored, ...unowned];
}

const transparent = /^(int|list|tuple|dict|c_void_p|uint64|c_uint64|c_size_t|MemoryPointer|UnownedMemory|append)$/;

/** The pointer that goes on in a value, not one that is used up inside it. */
function lasting(value: Expr, file: FileFacts): Pointer | undefined {
  const bare = stripCasts(value);
  const direct = pointerOf(bare) ?? (bare.kind === 'call' ? pointerByHelper(file, bare) : undefined);
  if (direct) return direct;
  const first = (parts: readonly Expr[]) => parts.map((part) => lasting(part, file)).find((found) => found !== undefined);
  if (bare.kind === 'init') return first(bare.entries.map((entry) => entry.value));
  if (bare.kind === 'conditional') return first([bare.yes, bare.no]);
  if (bare.kind === 'call') return first(keptBy(bare, file));
  if (bare.kind !== 'other') return undefined;
  const key = bare.operands[1];
  return key?.kind === 'string' && key.value !== 'data' ? undefined : first(bare.operands);
}

/** `self._wrap(make(frame))`, whose body makes a view over the memory of what it is given. */
function pointerByHelper(file: FileFacts, call: Call): Pointer | undefined {
  const callee = resolveCallee(file, call);
  const returned = callee?.events.filter((event): event is Return => event.kind === 'return') ?? [];
  const arrays = returned.map((event) => event.value && arrayBehind(file, event, event.value));
  const [array] = arrays;
  if (!callee || array?.kind !== 'param' || array.steps.length > 0 || !arrays.every((each) => samePath(each, array))) return undefined;
  const isHeld = callee.events.some((event) => event.kind !== 'test' && expressionsOf(event).some((root) => holds(event, root, array.root)));
  const given = isHeld ? undefined : argumentFor(callee, call, array.root);
  return given && given.kind !== 'path' ? { array: given, by: call.name, expr: call } : undefined;
}

function argumentFor({ params, className, attributes }: FunctionFacts, call: Call, name: string): Expr | undefined {
  const own = className !== undefined && !attributes.includes('@staticmethod') ? params.slice(1) : params;
  return call.keywords.get(name) ?? call.args[own.findIndex((param) => param.name === name)];
}

/** The arguments that a call keeps as they are: conversions, classes of the file that store them, arrays over a foreign pointer. */
function keptBy(call: Call, file: FileFacts): readonly Expr[] {
  const all = [...call.args, ...call.keywords.values()];
  if (transparent.test(call.name)) return all;
  const own = call.receiver ? undefined : file.classNamed(call.name);
  if (own) return keepsArguments(own) ? all : [];
  if (/(^|\.)SimpleNamespace$/.test(call.callee)) return all;
  const pointer = call.keywords.get('ptr');
  return pointer ? [pointer] : [];
}

/** The constructor stores what it is given, or there is none to be seen and the interface is made of fields: a dataclass. */
function keepsArguments({ methods, bases }: ClassFacts): boolean {
  const init = methods.find((method) => method.name === '__init__');
  if (init)
    return init.events.every((event) => event.kind === 'assign' || (event.kind === 'call' && /^(int|tuple|super|__init__)$/.test(event.name)));
  return bases.every((base) => /NamedTuple$/.test(base)) && methods.some((method) => method.name === '__cuda_array_interface__');
}

/** Arrays over the memory that an object describes; they keep the object, which keeps nothing. */
const viewers = /^(torch\.(as_tensor|asarray)|cupy\.asarray|numba\.cuda\.as_cuda_array)$/;

/** A field, or something outside of the function. */
function outlives({ target, fn }: Assign): boolean {
  const path = pathOf(target);
  return path !== undefined && fn.kind !== 'module' && (path.kind === 'this' || path.kind === 'global') && path.steps.length > 0;
}

const layout = /^\[["'](shape|strides|typestr|version|descr|mask|stream)["']\]$/;

/** Of the interface dictionary only shape and the like are read. */
function readsOnlyLayout(fn: FunctionFacts, { target, id }: Assign): boolean {
  const path = pathOf(target);
  if (path?.kind !== 'local' || path.steps.length > 0) return false;
  const reads = fn.events.filter((event) => event.id > id).flatMap((event) => expressionsOf(event).flatMap((root) => [...walk(root)]));
  const own = reads.filter((part) => part.kind === 'path' && part.path.root === path.root);
  return own.length > 0 && own.every((part) => part.kind === 'path' && layout.test(part.path.steps[0] ?? ''));
}

/** The fresh local whose pointer a returned value is, when nothing else holds the array. */
function localBehind(file: FileFacts, fn: FunctionFacts, at: Event, value: Expr): string | undefined {
  const array = arrayBehind(file, at, value);
  return array && isDying(file, fn, at, array) ? array.root : undefined;
}

/** `x` of `x.data_ptr()`, `x.data.ptr`, `x.__cuda_array_interface__["data"][0]`, copies into locals followed. */
function arrayBehind(file: FileFacts, at: Event, value: Expr, depth = 8): Path | undefined {
  const bare = stripCasts(value);
  if (depth === 0) return undefined;
  if (bare.kind === 'call') {
    if (bare.name === 'data_ptr' && bare.receiver?.kind === 'path') return bare.receiver.path;
    if (transparent.test(bare.name)) return bare.args[0] && arrayBehind(file, at, bare.args[0], depth - 1);
    const held = viewers.test(bare.callee) ? viewedBy(at, bare.args[0]) : keptBy(bare, file);
    return held.flatMap((each) => arrayBehind(file, at, each, depth - 1) ?? [])[0];
  }
  if (bare.kind === 'init') return bare.entries.flatMap((entry) => arrayBehind(file, at, entry.value, depth - 1) ?? [])[0];
  if (bare.kind === 'other' && bare.operands[0]) return arrayBehind(file, at, bare.operands[0], depth - 1);
  if (bare.kind !== 'path') return undefined;
  const pointer = pointerSteps(bare.path.steps);
  if (pointer) return { ...bare.path, steps: pointer.array };
  if (bare.path.kind !== 'local' || (bare.path.steps[0] && !/^\[(["']data["']|\d)\]$/.test(bare.path.steps[0]))) return undefined;
  const { values, unknown } = definitionsAt(at, { ...bare.path, steps: [] });
  const [only] = values;
  return only && !unknown && values.length === 1 && only.value !== 'zero' ? arrayBehind(file, only.at, only.value, depth - 1) : undefined;
}

/** A described object, not a number or a list, which would be copied. */
function viewedBy(at: Event, arg: Expr | undefined): readonly Expr[] {
  const value = arg && valueAt(at, arg);
  return arg && value && value !== 'zero' && value.kind === 'call' ? [value] : [];
}

/** A local that was made here and that nothing but its own attributes is ever asked of. */
function isDying(file: FileFacts, fn: FunctionFacts, at: Event, array: Path): boolean {
  if (array.kind !== 'local' || array.steps.length > 0) return false;
  const value = valueAt(at, { kind: 'path', path: array, span: at.span });
  if (value === undefined || value === 'zero' || !isFresh(file, value)) return false;
  return !fn.events.some((event) => {
    if (event.kind === 'escape') return event.paths.some((path) => path.root === array.root);
    return expressionsOf(event).some((root) => holds(event, root, array.root));
  });
}

/** The array itself goes somewhere: stored, returned, given to a call, yielded. */
function holds(event: Event, root: Expr, name: string): boolean {
  if (event.kind === 'assign' && root === event.target) return false;
  if (event.kind === 'call' && root === event && event.form === 'delete') return false;
  const parts = [...walk(root)];
  const receivers = new Set(parts.map((part) => (part.kind === 'call' ? part.receiver : undefined)));
  return parts.some((part) => part.kind === 'path' && part.path.root === name && part.path.steps.length === 0 && !receivers.has(part));
}

function unownedLocal(file: FileFacts, fn: FunctionFacts, call: Call): { at: Call; data: Data } | undefined {
  if (call.name !== 'UnownedMemory') return undefined;
  const owner = call.keywords.get('owner') ?? call.args[2];
  const pointer = call.keywords.get('ptr') ?? call.args[0];
  if (!pointer || !owner || (owner.kind !== 'null' && owner.kind !== 'number') || !fn.events.some((event) => event.kind === 'return' && event.value))
    return undefined;
  const name = localBehind(file, fn, call, pointer);
  return name && file.language === 'python' ? { at: call, data: { kind: 'unowned', name } } : undefined;
}
