/**
 * # dlpack/handle-released
 *
 * ## What it does
 * Reports a Python reference that is taken and never dropped in a file that exchanges tensors: `release()` of a pybind11 or nanobind object
 * whose result is ignored or only stored, `inc_ref()` or `Py_INCREF` of an owner, with no `dec_ref`, `Py_DECREF` or `steal` anywhere.
 *
 * ## Why is this bad
 * The reference keeps the exporting object, and with it the memory of a whole tensor, until the process ends: one leak per exchange. The
 * deleter is the place that has to drop it.
 *
 * ## Example
 * ```cpp
 * #include <dlpack/dlpack.h>
 * #include <pybind11/pybind11.h>
 * namespace py = pybind11;
 * void keep_owner(DLManagedTensor* managed, py::object owner) {
 *     managed->manager_ctx = owner.release().ptr();
 *     managed->deleter = [](DLManagedTensor* self) { delete self; };
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <dlpack/dlpack.h>
 * #include <pybind11/pybind11.h>
 * namespace py = pybind11;
 * void keep_owner(DLManagedTensor* managed, py::object owner) {
 *     managed->manager_ctx = owner.release().ptr();
 *     managed->deleter = [](DLManagedTensor* self) {
 *         py::gil_scoped_acquire gil;
 *         py::handle(static_cast<PyObject*>(self->manager_ctx)).dec_ref();
 *         delete self;
 *     };
 * }
 * ```
 *
 * ## What it cannot see
 * References that another file drops, and calls that steal them under an unknown name.
 */
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { lastName, pathOf, samePath, stripCasts, walk } from '../../facts/paths';
import { valueAt } from '../../flow/definitions';
import { typeOfPath } from '../../flow/visible';
import { fileQuery } from '../../memo/query';
import { holdsForAny } from '../../memo/table';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ readonly name: string; readonly by: string }>({
  meta: {
    id: 'dlpack/handle-released',
    summary: 'A Python reference is released or added and nobody drops it.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ name, by }) {
    return `\`${by}\` takes a reference to \`${name}\` that nothing in this file drops: the Python object and its memory are never freed. Drop it in the deleter (dec_ref, with the GIL held), or keep a py::object instead.`;
  },

  detect(file, report) {
    for (const call of file.subjects.flatMap((fn) => fn.calls)) {
      const taken = reference(file, call);
      if (taken && !goesOn(call, taken) && exchangesTensors(file) && !dropping(file))
        report({ at: call, data: { name: file.source(taken), by: call.name } });
    }
  },
});

const drops = /^(dec_ref|Py_X?DECREF|Py_DecRef|Py_CLEAR|Py_SETREF|steal|reinterpret_steal|borrow_and_steal)$/;

const exchangesTensors = fileQuery((file) =>
  file.hasToken('word', /^(DLManagedTensor(Versioned)?|manager_ctx|PyCapsule_New|capsule|__cuda_array_interface__)$/),
);

const dropping = holdsForAny((_, fn) => fn.calls.some((call) => drops.test(call.name)));

/** The object to which the call takes a reference out of anybody's hands. */
function reference(file: FileFacts, call: Call): Expr | undefined {
  if (/^Py_X?INCREF$|^Py_IncRef$/.test(call.name)) return isSingleton(call.args[0]) ? undefined : call.args[0];
  const path = pathOf(call.receiver);
  if (!call.receiver || !path || call.args.length > 0 || !isPythonObject(file, call, path)) return undefined;
  return call.name === 'inc_ref' || call.name === 'release' ? call.receiver : undefined;
}

function isSingleton(expr: Expr | undefined): boolean {
  const path = pathOf(expr);
  return (
    !path ||
    /^(Py_None|Py_True|Py_False|Py_NotImplemented|Py_Ellipsis)$/.test(lastName(path)) ||
    path.root === 'this' ||
    /^(type|self)$/.test(path.root)
  );
}

function isPythonObject(file: FileFacts, call: Call, path: Path): boolean {
  const type = typeOfPath(file, call.fn, path);
  if (type && type !== 'auto') return /^(py|nb|pybind11|nanobind)::/.test(type);
  const value = valueAt(call, { kind: 'path', path, span: call.span });
  return value !== undefined && value !== 'zero' && value.kind === 'call' && /^(py|nb|pybind11|nanobind)::/.test(value.callee);
}

const plainFields = /^\.(manager_ctx|owner|ctx|context|ref|py_?obj(ect)?|holder)_?$/;

/** The reference reaches somebody who may drop it: returned, given to a call, kept in a handle of another kind than a raw context. */
function goesOn(call: Call, taken: Expr): boolean {
  const path = pathOf(taken);
  if (!path) return true;
  if (call.name === 'release') return call.use !== 'ignored' && !endsInContext(call);
  return isReturned(call.fn, path) || isStolen(call, path);
}

/** `release()` or `release().ptr()` is put into a raw context field and nothing else. */
function endsInContext(call: Call): boolean {
  return call.fn.events.some((event) => {
    if (event.kind !== 'assign' || !event.value) return false;
    const bare = stripCasts(event.value);
    const isIt = bare === call || (bare.kind === 'call' && bare.name === 'ptr' && bare.receiver === call);
    const target = pathOf(event.target);
    return isIt && target !== undefined && plainFields.test(target.steps.at(-1) ?? '');
  });
}

function isReturned(fn: FunctionFacts, path: Path): boolean {
  return fn.events.some(
    (event) =>
      event.kind === 'return' &&
      event.value !== undefined &&
      [...walk(event.value)].some((part) => part.kind === 'path' && samePath(part.path, path)),
  );
}

const steals = /(SetItem|SET_ITEM|AddObject|steal|Steal|emplace|push|insert|make_unique|make_shared|PyCapsule_New|capsule)/;

function isStolen(call: Call, path: Path): boolean {
  return call.fn.calls.some((each) => {
    if (each === call || /INCREF|inc_ref/.test(each.name)) return false;
    const isGiven = each.args.some((arg) => [...walk(arg)].some((part) => part.kind === 'path' && samePath(part.path, path)));
    return isGiven && (each.form !== 'call' || each.api === undefined || steals.test(each.name));
  });
}
