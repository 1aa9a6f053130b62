// Who has to end a DLManagedTensor: the machine behind the lifetime rules of the `dlpack/` family.
//
// States: `made` allocated here, not handed over yet · `held` somebody else's, first seen here · `borrowed` taken out of a capsule that
// still owns it · `taken` its capsule was renamed, so it is ours · `finished` its deleter was called · `freed` freed without the deleter.
import type { Call, Event, Expr, FileFacts, Path } from '../facts/index';
import { mentions, pathKey, pathOf, stripCasts, walk } from '../facts/paths';
import { textAt } from '../flow/constants';
import { trackPath } from '../flow/effects';
import { evaluate } from '../flow/evaluate';
import { type Machine, type Violation, violation } from '../flow/machine';
import { resolveCallee } from '../flow/program';
import type { State, Tracked } from '../flow/state';
import { typeOfPath } from '../flow/visible';
import { isManaged } from './dlpack';

type Report = (violation: Violation) => void;

const frees = /^(free|PyMem_Free|PyMem_RawFree|PyObject_Free|_?aligned_free)$/;
const allocates = /^(malloc|calloc|PyMem_Malloc|PyMem_RawMalloc|PyMem_Calloc)$/;
const named = /managed|dlm|dlmt|^mt|_mt|dl_?tensor|dltensor|^(m|t|src|source|self|tensor)_?$/i;

export const managedTensor: Machine = {
  name: 'managed-tensor',
  neutral: new Set(['held', 'borrowed', 'made']),
  concerns: (call) =>
    isDeleterCall(call) || /^(PyCapsule_GetPointer|get_pointer)$/.test(call.name) || /DLManagedTensor/.test(call.name) || allocates.test(call.name),
  call(call, state, report, file) {
    const ended = isDeleterCall(call) ? call.args[0] : endedByHelper(call, file);
    if (ended) return finish(ended, call, state, report);
    if (call.form === 'delete' || frees.test(call.name)) return release(call, state, report);
    if (call.form === 'new' || allocates.test(call.name)) return make(call, state, file);
    if (call.name === 'PyCapsule_GetPointer' || call.name === 'get_pointer') return takeOut(call, state, file);
    if (/^(PyCapsule_SetName|PyCapsule_SetDestructor|set_name)$/.test(call.name)) return rename(call, state, report);
    if (/^(PyCapsule_(IsValid|GetName|GetContext)|PyErr_\w+)$/.test(call.name)) return [state];
    return undefined;
  },
  moved(before, to, at, report) {
    if (before.state === 'finished' && to === 'finished') report(violation('deleter-twice', before, at));
    if (before.state === 'finished' && to === 'freed') report(violation('freed-after-deleter', before, at));
  },
  track: (target, source) => (source.steps.length === 0 && named.test(lastStep(source)) && named.test(lastStep(target)) ? 'held' : undefined),
  leave(state, how, _fn, report) {
    for (const object of state.objects.values()) {
      const kind = !object.escaped && isLocalOnly(state, object) ? lostAs(state, object, how) : undefined;
      const at = kind === 'finished-without-rename' ? object.history.at(-1)?.at : (state.leaving ?? object.history.at(-1)?.at);
      if (kind && at) report(violation(kind, object, at));
    }
  },
};

/** What is wrong when the function is left with the object in this state. */
function lostAs(state: State, object: Tracked, how: 'return' | 'throw'): string | undefined {
  if (object.state === 'made') return how === 'throw' ? 'lost-on-throw' : 'lost-on-return';
  if (object.state === 'taken' && !lacksDeleter(state, object)) return how === 'throw' ? 'lost-on-throw' : 'never-finished';
  const states = object.history.map((step) => step.state);
  return object.state === 'finished' && states.includes('borrowed') && !states.includes('taken') ? 'finished-without-rename' : undefined;
}

/** A null deleter is legal: there is nothing to call then. */
function lacksDeleter(state: State, object: Tracked): boolean {
  return state.keysOf(object.id).some((key) => {
    const deleter = state.lookup(`${key}.deleter`);
    return deleter?.k === 'num' && deleter.n === 0;
  });
}

function lastStep(path: Path): string {
  return path.steps.findLast((step) => step.startsWith('.'))?.slice(1) ?? path.root;
}

/** `mt->deleter(mt)`, `(*mt->deleter)(mt)`. */
export function isDeleterCall(call: Call): boolean {
  return call.name === 'deleter' && call.args.length === 1 && call.form === 'call';
}

/** The argument that a function of the file ends with its deleter, guarded by nothing but null tests. */
export function endedByHelper(call: Call, file: FileFacts): Expr | undefined {
  const callee = call.api ? undefined : resolveCallee(file, call);
  const ending = callee?.calls.find(isDeleterCall);
  const path = ending && pathOf(ending.args[0]);
  const index = path?.steps.length === 0 ? callee!.params.findIndex((param) => param.name === path.root) : -1;
  if (index < 0) return undefined;
  const isGuard = (event: Event) => event.kind !== 'test' || mentions(event.expr, path!);
  return callee!.events.every(isGuard) ? call.args[index] : undefined;
}

function finish(ended: Expr, call: Call, state: State, report: Report): State[] {
  const id = objectOf(ended, call, state);
  const object = id === undefined ? undefined : state.objects.get(id);
  if (!object || id === undefined) return [state];
  if (!object.escaped && object.state === 'finished') report(violation('deleter-twice', object, call));
  if (!object.escaped && object.state === 'freed') report(violation('deleter-after-free', object, call));
  state.move(id, 'finished', call);
  return [state];
}

/** `delete`, `free`: of the struct itself, or of something that hangs on it. */
function release(call: Call, state: State, report: Report): State[] | undefined {
  const arg = call.args[0];
  const path = pathOf(arg);
  if (!arg || !path) return undefined;
  const value = evaluate(arg, state);
  if (value?.k === 'obj') {
    const object = state.objects.get(value.id)!;
    if (!object.escaped && object.state === 'finished') report(violation('freed-after-deleter', object, call));
    if (!object.escaped && (object.state === 'taken' || object.state === 'borrowed')) report(violation('freed-instead', object, call));
    state.move(value.id, 'freed', call);
    return [state];
  }
  const owner = ownerOf(path, state);
  if (owner && !owner.escaped && owner.state === 'finished') report(violation('part-freed-after-deleter', owner, call));
  return owner ? [state] : undefined;
}

/** The tracked struct that `mt->dl_tensor.shape` is a part of. */
function ownerOf(path: Path, state: State): Tracked | undefined {
  for (let length = path.steps.length - 1; length >= 0; length--) {
    const value = state.lookup(state.resolve({ ...path, steps: path.steps.slice(0, length) }));
    if (value?.k === 'obj') return state.objects.get(value.id);
  }
  return undefined;
}

function make(call: Call, state: State, file: FileFacts): State[] | undefined {
  const isNew = call.form === 'new' && /^(\w+::)*DLManagedTensor(Versioned)?$/.test(call.name);
  const isAllocated = call.form === 'call' && call.result !== undefined && isManaged(file, call.fn, call.result);
  if (!isNew && !isAllocated) return undefined;
  begin(call, state, 'made', undefined);
  return [state];
}

function begin(call: Call, state: State, first: string, origin: Path | undefined): void {
  const id = call.id * 16 + 4;
  state.objects.set(id, { id, state: first, via: undefined, origin, escaped: false, history: [{ state: first, at: call }] });
  state.results.set(call.id, { k: 'obj', id, pointer: true });
}

/** `PyCapsule_GetPointer(capsule, "dltensor")`, `capsule.get_pointer<DLManagedTensor>()`. */
function takeOut(call: Call, state: State, file: FileFacts): State[] {
  const capsule = pathOf(call.receiver ?? call.args[0]);
  const type = call.result && typeOfPath(file, call.fn, call.result);
  const isOurs = (call.result && isManaged(file, call.fn, call.result)) || /DLManagedTensor/.test(`${call.callee}${type ?? ''}`);
  const name = textAt(file, call, call.args[1]);
  if (!capsule || !isOurs) return [state];
  const isUsed = name?.startsWith('used_') === true;
  begin(call, state, isUsed ? 'held' : 'borrowed', capsule);
  return [state];
}

/** Renaming the capsule, or taking its destructor away, makes the consumer the owner. */
function rename(call: Call, state: State, report: Report): State[] {
  const capsule = pathOf(call.receiver ?? call.args[0]);
  if (!capsule) return [state];
  const refused = call.use === 'ignored' || call.receiver ? undefined : state.clone();
  for (const object of [...state.objects.values()]) {
    if (!object.origin || pathKey(object.origin) !== pathKey(capsule) || object.escaped) continue;
    if (object.state === 'borrowed') state.move(object.id, 'taken', call);
    if (object.state === 'finished' && object.history.some((step) => step.state === 'borrowed')) {
      report(violation('renamed-late', object, call));
      state.escape(object.id);
    }
    refused?.escape(object.id);
  }
  if (!refused) return [state];
  // Refused, and the code can tell: the capsule owns the tensor as before, and what is done about that is not judged.
  state.results.set(call.id, { k: 'num', n: 0 });
  refused.results.set(call.id, { k: 'num', n: -1 });
  return [state, refused];
}

/** The object that an expression names; begins to track a path of which nothing is known. */
function objectOf(expr: Expr, at: Event, state: State): number | undefined {
  const value = evaluate(expr, state);
  if (value?.k === 'obj') return value.id;
  const path = pathOf(expr);
  if ((value && value.k !== 'some') || !path || path.kind === 'captured' || stripCasts(expr).kind !== 'path') return undefined;
  if (value) state.forget(state.resolve(path));
  const id = trackPath(path, 'held', at, state);
  state.bindings.set(state.resolve(path), { k: 'obj', id, pointer: true });
  return id;
}

/** Only plain locals of the function name it, and it is not on its way to the caller. */
function isLocalOnly(state: State, object: Tracked): boolean {
  if (state.returned?.k === 'obj' && state.returned.id === object.id) return false;
  const keys = state.keysOf(object.id);
  if (object.history[0]?.state === 'held' || keys.some((key) => !/^\w+$/.test(key))) return false;
  const { leaving } = state;
  const value = leaving?.kind === 'return' || leaving?.kind === 'throw' ? leaving.value : undefined;
  return !value || ![...walk(value)].some((part) => part.kind === 'path' && keys.includes(part.path.root));
}
