/**
 * # dlpack/unconsumed-capsule
 *
 * ## What it does
 * Reports a `dltensor` capsule that is made without a destructor.
 *
 * ## Why is this bad
 * A consumer renames the capsule and calls the deleter. When nobody consumes it - an exception in between, a consumer that gives up, a
 * capsule made for a look at the shape - only the capsule's destructor can end the tensor. Without one its memory is never freed.
 *
 * ## Example
 * ```cpp
 * #include <Python.h>
 * #include <dlpack/dlpack.h>
 * PyObject* to_capsule(DLManagedTensor* managed) {
 *     return PyCapsule_New(managed, "dltensor", nullptr);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <Python.h>
 * #include <dlpack/dlpack.h>
 * static void end_unused(PyObject* capsule) {
 *     if (!PyCapsule_IsValid(capsule, "dltensor")) return;
 *     auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
 *     if (managed->deleter) managed->deleter(managed);
 * }
 * PyObject* to_capsule(DLManagedTensor* managed) {
 *     return PyCapsule_New(managed, "dltensor", end_unused);
 * }
 * ```
 *
 * ## What it cannot see
 * Capsules whose name is no constant of the file, and whose destructor is a variable, and tensors that need no deleter because they are static.
 */
import type { Call, Expr, FileFacts, FunctionFacts } from '../../facts/index';
import { addressOf, lastName, pathOf, stripCasts, symbolOf } from '../../facts/paths';
import { textAt } from '../../flow/constants';
import { valueAt } from '../../flow/definitions';
import { defineRule } from '../rule';

export const rule = defineRule<{ readonly name: string }>({
  meta: {
    id: 'dlpack/unconsumed-capsule',
    summary: 'A DLPack capsule is made without a destructor for the case that nobody consumes it.',
    severity: 'warning',
    tier: 'A',
    precision: 'certain',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ name }) {
    return `This \`${name}\` capsule has no destructor: when nobody consumes it, nobody calls the tensor's deleter, and its memory is never freed. Give it a destructor that calls the deleter while the name is still \`${name}\`.`;
  },

  detect(file, report) {
    for (const call of file.subjects.flatMap((fn) => fn.calls)) {
      const name = capsuleName(file, call);
      if (name && !hasDestructor(file, call) && !isSetLater(call) && !isStatic(file, call)) report({ at: call, data: { name } });
    }
  },
});

function isCapsuleType(call: Call): boolean {
  return call.name === 'PyCapsule_New' || /^(py|nb|pybind11|nanobind)::capsule$/.test(call.form === 'construct' ? call.name : call.callee);
}

function capsuleName(file: FileFacts, call: Call): string | undefined {
  const name = isCapsuleType(call) ? textAt(file, call, call.args[1]) : undefined;
  return name !== undefined && /^dltensor(_versioned)?$/.test(name) ? name : undefined;
}

function hasDestructor(file: FileFacts, call: Call): boolean {
  const given = call.args[2];
  if (!given) return false;
  const value = valueAt(call, stripCasts(given));
  if (value === 'zero' || value?.kind === 'null' || (value?.kind === 'number' && value.value === 0)) return false;
  return !doesNothing(file, value);
}

/** `[](PyObject*) {}`, or a function of the file whose body is empty. */
function doesNothing(file: FileFacts, value: Expr | undefined): boolean {
  const bare = value && (value.kind === 'unary' && /^[+&]$/.test(value.op) ? value.operand : stripCasts(value));
  if (bare?.kind === 'lambda') return isEmpty(bare.fn);
  const named = bare?.kind === 'path' && bare.path.kind === 'global' ? file.functionsNamed(bare.path.root) : [];
  return named.length === 1 && isEmpty(named[0]!);
}

function isEmpty(fn: FunctionFacts): boolean {
  return fn.events.length === 0 && !fn.degraded;
}

function isSetLater(call: Call): boolean {
  return call.fn.calls.some((each) => each.name === 'PyCapsule_SetDestructor');
}

/** The address of a global or static tensor, or one whose deleter is null or does nothing: nothing to end. */
function isStatic(file: FileFacts, call: Call): boolean {
  const address = addressOf(call.args[0]);
  if (address && (address.kind === 'global' || file.globals.some((each) => each.name === address.root))) return true;
  return call.fn.events.some((event) => {
    const target = event.kind === 'assign' ? pathOf(event.target) : undefined;
    return event.kind === 'assign' && target !== undefined && lastName(target) === 'deleter' && endsNothing(file, event.value);
  });
}

function endsNothing(file: FileFacts, value: Expr | undefined): boolean {
  if (value?.kind === 'null' || (value?.kind === 'number' && value.value === 0)) return true;
  return doesNothing(file, value) || /^no_?op/i.test(symbolOf(value) ?? '');
}
