/**
 * # dlpack/deleter-not-called
 *
 * ## What it does
 * Reports a consumer that takes a `DLManagedTensor` over and never calls its deleter: a class whose destructor forgets it, a function that
 * renames the capsule and returns, a function that consumes a tensor by name and only reads it, or that takes it over on some ways only.
 *
 * ## Why is this bad
 * Only the deleter tells the producer that its memory is free. Without it every exchanged frame stays allocated, first unnoticed, then as
 * an out-of-memory error far away. Freeing the struct oneself is no substitute: it belongs to the producer's allocator.
 *
 * ## Example
 * ```cpp
 * #include <Python.h>
 * #include <dlpack/dlpack.h>
 * int upload(PyObject* capsule, float* target) {
 *     auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
 *     if (!managed) return -1;
 *     PyCapsule_SetName(capsule, "used_dltensor");
 *     copy_out(managed->dl_tensor, target);
 *     return 0;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <Python.h>
 * #include <dlpack/dlpack.h>
 * int upload(PyObject* capsule, float* target) {
 *     auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
 *     if (!managed) return -1;
 *     PyCapsule_SetName(capsule, "used_dltensor");
 *     copy_out(managed->dl_tensor, target);
 *     if (managed->deleter) managed->deleter(managed);
 *     return 0;
 * }
 * ```
 *
 * ## What it cannot see
 * Tensors that go to unknown functions or containers, destructors of another file, and classes that only look at a tensor of somebody else
 * and say so in a comment alone. Who gets the tensor as a parameter may only borrow it: that shows with the preview rules only.
 */
import { isMade, isManaged, neighbourhood } from '../../analyses/dlpack';
import { halfAdopted } from '../../analyses/half-adopted';
import { managedTensor } from '../../analyses/managed-tensor';
import type { Call, ClassFacts, Event, Expr, FileFacts, FunctionFacts, Path, Variable } from '../../facts/index';
import { expressionsOf, isWithin, mentions, pathOf, samePath, stripCasts, walk } from '../../facts/paths';
import { violationsOf } from '../../flow/program';
import { cFamily, defineRule, type Problem } from '../rule';

interface Data {
  readonly name: string;
  readonly where: 'class' | 'function' | 'capsule' | 'freed' | 'way';
}

export const rule = defineRule<Data>({
  meta: {
    id: 'dlpack/deleter-not-called',
    summary: 'A consumer takes a DLPack tensor over and never calls its deleter.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ name, where }) {
    const what = {
      class: `This destructor never calls the deleter of \`${name}\``,
      function: `\`${name}\` is consumed here and its deleter never called`,
      capsule: 'The tensor was taken out of its capsule and is lost here without a call of its deleter',
      way: `The function takes \`${name}\` over, but leaves here without its deleter`,
      freed: 'The struct is freed instead of calling its deleter',
    }[where];
    return `${what}: the producer never learns that its memory is free, so every exchanged tensor leaks. Call \`deleter\` exactly once when it is not null.`;
  },

  detect(file, report) {
    for (const each of file.subjectClasses) checkClass(file, each, report);
    for (const fn of file.subjects) {
      const param = consumed(file, fn);
      // Whether the caller lends or gives the tensor, only names tell.
      if (param) report({ at: fn.nameSpan, data: { name: param.name, where: 'function' }, isPreview: true });
      for (const { at, param, taken } of halfAdopted(file, fn))
        report({ at, data: { name: param.name, where: 'way' }, related: [{ at: taken, message: 'taken over on this way' }], isPreview: true });
      for (const { call, name, where } of fn.calls.flatMap((call) => wrapped(file, call) ?? []))
        report({ at: call, data: { name, where }, isPreview: where === 'function' });
    }
    for (const found of violationsOf(file, managedTensor)) {
      if (found.kind !== 'never-finished' && found.kind !== 'freed-instead') continue;
      const taken = found.trace.find((step) => step.state === 'taken' || step.state === 'borrowed');
      const related = taken && taken.at !== found.at ? [{ at: taken.at, message: 'taken out of its capsule here' }] : [];
      report({ at: found.at, data: { name: '', where: found.kind === 'freed-instead' ? 'freed' : 'capsule' }, related });
    }
  },
});

function checkClass(file: FileFacts, each: ClassFacts, report: (problem: Problem<Data>) => void): void {
  for (const field of each.fields.filter((field) => forgets(file, each, field)))
    report({
      at: each.destructor!.nameSpan,
      data: { name: field.name, where: 'class' },
      related: [{ at: field, message: 'the tensor that the class holds' }],
      isPreview: !isTakenOut(each, field) && !isFreed(each, field),
    });
}

const pointer = /^(struct )?(\w+::)*DLManagedTensor(Versioned)?\*$/;
const otherOwner = /PyObject|\bpy::|\bnb::|capsule|shared_ptr|unique_ptr|std::function|object/i;

/** The class holds the tensor alone, takes it from outside, and no code near the destructor ends it. */
function forgets(file: FileFacts, owner: ClassFacts, field: Variable): boolean {
  const { destructor, fields } = owner;
  if (!pointer.test(field.type.replace(/ /g, '')) || field.isStatic || !destructor || destructor.degraded) return false;
  if (fields.some((each) => otherOwner.test(each.type) || /own|borrow/i.test(each.name))) return false;
  const path: Path = { root: 'this', kind: 'this', steps: [`.${field.name}`] };
  const near = [...neighbourhood(file, destructor)];
  if (near.some((fn) => endsOrHandsOver(fn, path))) return false;
  return owner.methods.some((method) => method.events.some((event) => takes(event, path)));
}

/** Assigned from a parameter or a call, not made by the class. */
function takes(event: Event, path: Path): boolean {
  if (event.kind !== 'assign' || !event.value || isMade(event.value)) return false;
  if (!samePath(pathOf(event.target), path)) return false;
  return event.value.kind === 'call' || pathOf(event.value)?.kind === 'param' || event.value.kind === 'cast';
}

/** The tensor comes out of a capsule or of a producer; a parameter may be lent. */
function isTakenOut(owner: ClassFacts, field: Variable): boolean {
  const path: Path = { root: 'this', kind: 'this', steps: [`.${field.name}`] };
  return owner.methods.some((method) =>
    method.events.some((event) => event.kind === 'assign' && event.value && samePath(pathOf(event.target), path) && isCall(event.value)),
  );
}

/** The destructor frees the struct, so the class takes itself for the owner. */
function isFreed({ destructor }: ClassFacts, field: Variable): boolean {
  const frees = (call: Call) => call.form === 'delete' || /^(free|PyMem_Free)$/.test(call.name);
  return destructor!.calls.some((call) => frees(call) && pathOf(call.args[0])?.steps.join('') === `.${field.name}`);
}

function isCall(value: Expr): boolean {
  const bare = stripCasts(value);
  return bare.kind === 'call' && !isMade(bare);
}

/** Names `deleter`, makes the tensor, or gives the pointer to somebody. */
function endsOrHandsOver(fn: FunctionFacts, path: Path): boolean {
  return fn.events.some((event) => {
    if (expressionsOf(event).some((root) => [...walk(root)].some((part) => part.kind === 'path' && part.path.steps.includes('.deleter'))))
      return true;
    if (event.kind === 'call') return event.name === 'deleter' || (event.form !== 'delete' && event.args.some((arg) => gives(arg, path)));
    if (event.kind === 'assign')
      return samePath(pathOf(event.target), path) ? isMade(event.value) : event.value !== undefined && gives(event.value, path);
    return event.kind === 'escape' && [...event.paths, ...event.copies].some((each) => isWithin(path, each));
  });
}

/** The pointer itself goes on, not something that it points to. */
function gives(expr: Expr, path: Path): boolean {
  return samePath(pathOf(expr), path) || (expr.kind !== 'path' && [...walk(expr)].some((part) => part.kind === 'path' && samePath(part.path, path)));
}

const consumers = /^(consume|take|adopt|ingest|absorb|from_?dl_?pack|import_?dl_?pack|(import|from)_?dl_?tensor)/i;

/** The parameter of a function that consumes a tensor by name, only reads it and never ends it. */
function consumed(file: FileFacts, fn: FunctionFacts): Variable | undefined {
  if (!consumers.test(fn.name) || fn.degraded || fn.kind === 'lambda') return undefined;
  const param = fn.params.find((each) => pointer.test(each.type.replace(/ /g, '')));
  if (!param) return undefined;
  const path: Path = { root: param.name, kind: 'param', steps: [] };
  if (!isManaged(file, fn, path) || [...neighbourhood(file, fn)].some((each) => endsOrHandsOver(each, path))) return undefined;
  const returned = fn.events.some((event) => event.kind === 'return' && event.value && gives(event.value, path));
  const reads = fn.events.some((event) => expressionsOf(event).some((root) => mentions(root, path)));
  return returned || !reads ? undefined : param;
}

/** A smart pointer or a `from_blob` that takes the tensor over with a deleter that does nothing, or with the default one. */
function wrapped(file: FileFacts, call: Call): { call: Call; name: string; where: Data['where'] } | undefined {
  const written = `${call.callee} ${call.name}`;
  const isPointer = /\b(shared_ptr|unique_ptr)<(const )?(\w+::)*DLManagedTensor(Versioned)?\b/.test(written);
  const [first] = call.args;
  const path = first && pathOf(first);
  if (!path || (!isPointer && call.name !== 'from_blob')) return undefined;
  const tensor = isPointer ? path : { ...path, steps: path.steps.slice(0, path.steps.indexOf('.dl_tensor')) };
  if ((!isPointer && !path.steps.includes('.dl_tensor')) || !isManaged(file, call.fn, tensor) || isMadeHere(call.fn, tensor)) return undefined;
  const deleter = call.args.find((arg) => arg.kind === 'lambda');
  const isDefault = isPointer && call.args.length === 1 && /<[^,]*>/.test(written);
  const isIdle = deleter?.kind === 'lambda' && deleter.fn.calls.length === 0 && !deleter.fn.degraded;
  if (!isDefault && !(isIdle && !call.fn.calls.some((each) => each.name === 'deleter'))) return undefined;
  return { call, name: tensor.steps.at(-1)?.slice(1) ?? tensor.root, where: isDefault ? 'freed' : 'function' };
}

function isMadeHere(fn: FunctionFacts, tensor: Path): boolean {
  return fn.events.some((event) => event.kind === 'assign' && samePath(pathOf(event.target), tensor) && isMade(event.value));
}
