// Tensors that are taken out of a capsule for good while the capsule keeps its name, and so ends them as well.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { lastName, pathOf, samePath, stripCasts, withoutLast } from '../facts/paths';
import { textAt } from '../flow/constants';
import { typeOfPath } from '../flow/visible';
import { fromFunctions, holdsForAny } from '../memo/table';
import { neighbourhood } from './dlpack';
import { isDeleterCall } from './managed-tensor';

export interface KeptCapsule {
  /** Where an owner takes the tensor that ends it. */
  readonly owner: Call | Assign;
  readonly taken: Call;
}

export function keptCapsules(file: FileFacts, fn: FunctionFacts): KeptCapsule[] {
  if (fn.degraded || file.language === 'python' || endsCapsule(fn)) return [];
  const taken = fn.calls.filter((call) => isTaken(file, call));
  return taken.flatMap((call) => {
    const owner = fn.events.find((event) => event.id > call.id && owns(file, event, call));
    if (owner?.kind !== 'call' && owner?.kind !== 'assign') return [];
    return isRenamed(file, fn) || mayBeRenamed(fn, pathOf(call.receiver ?? call.args[0])) ? [] : [{ owner, taken: call }];
  });
}

/** The destructor of a capsule. */
function endsCapsule({ kind, params, returnType }: FunctionFacts): boolean {
  return kind !== 'constructor' && params.length === 1 && returnType === 'void' && /PyObject/.test(params[0]!.type);
}

function isTaken(file: FileFacts, call: Call): boolean {
  if (call.name === 'get_pointer') return /DLManagedTensor/.test(call.callee);
  return call.name === 'PyCapsule_GetPointer' && /^dltensor(_versioned)?$/.test(textAt(file, call, call.args[1]) ?? '');
}

const renames = /^(PyCapsule_Set(Name|Destructor)|set_name)$/;

function isRenamed(file: FileFacts, fn: FunctionFacts): boolean {
  return [...neighbourhood(file, fn)].some((each) => each.calls.some((call) => renames.test(call.name)));
}

/** The capsule goes to somebody who may do it. */
function mayBeRenamed(fn: FunctionFacts, capsule: Path | undefined): boolean {
  const isKnown = ({ name }: Call) => /^(PyCapsule_|PyErr_|Py_?X?(INCREF|DECREF)|get_pointer)/.test(name);
  return capsule === undefined || fn.calls.some((call) => !isKnown(call) && call.args.some((arg) => samePath(pathOf(arg), capsule)));
}

function owns(file: FileFacts, event: Event, taken: Call): boolean {
  const isIt = (expr: Expr | undefined) => {
    const bare = expr && stripCasts(expr);
    return bare === taken || (bare?.kind === 'path' && samePath(bare.path, taken.result));
  };
  if (event.kind === 'assign') return isIt(soleOf(event.value)) && isOwner(file, event, pathOf(event.target));
  if (event.kind !== 'call') return false;
  if (/^from_blob/.test(event.name)) return event.args.some((arg) => endsIn(arg, taken));
  if (!event.args.some(isIt)) return false;
  if (/^(fromDLPack|ATenFromDLPack)$/.test(event.name)) return true;
  if (event.args.some((arg) => arg.kind === 'lambda' && arg.fn.calls.some(isDeleterCall))) return /_ptr\b/.test(event.callee);
  if (isPointer(event.callee)) return true;
  return (event.name === 'reset' || event.form === 'construct') && isOwner(file, event, pathOf(event.receiver) ?? event.result);
}

/** A lambda that calls the deleter of what was taken. */
function endsIn(arg: Expr, { result }: Call): boolean {
  const isIt = (call: Call) => isDeleterCall(call) && pathOf(call.args[0])?.root === result?.root;
  return arg.kind === 'lambda' && result !== undefined && arg.fn.calls.some(isIt);
}

/** `x` of `{x}`. */
function soleOf(value: Expr | undefined): Expr | undefined {
  return value?.kind === 'init' && value.entries.length === 1 ? value.entries[0]!.value : value;
}

/** A smart pointer of tensors, by its type or an alias of that, or a field whose deleter some function of the file calls. */
function isOwner(file: FileFacts, { fn }: Event, path: Path | undefined): boolean {
  const type = path && typeOfPath(file, fn, path);
  if (!path || type === undefined) return false;
  if (isPointer(type)) return callsDeleter(file);
  return path.steps.length > 0 && deleterCalls(file).some((call) => endsField(file, call, fn, path));
}

const callsDeleter = holdsForAny((_, fn) => fn.calls.some(isDeleterCall));
const deleterCalls = fromFunctions((_, fn) => (endsCapsule(fn) ? [] : fn.calls.filter(isDeleterCall)));

/** The deleter of the same field, of a struct or class of the same type. */
function endsField(file: FileFacts, call: Call, fn: FunctionFacts, field: Path): boolean {
  const path = pathOf(call.args[0]);
  if (!path || path.steps.length === 0 || lastName(path) !== lastName(field)) return false;
  const owner = ownerType(file, fn, field);
  return owner !== undefined && owner === ownerType(file, call.fn, path);
}

function ownerType(file: FileFacts, fn: FunctionFacts, path: Path): string | undefined {
  return typeOfPath(file, fn, withoutLast(path));
}

function isPointer(type: string): boolean {
  return /(unique|shared)_ptr<.*DLManagedTensor/.test(type);
}
