// Tensors that an object of the function owns already, and whose deleter is called by hand all the same.
import type { Assign, Call, ClassFacts, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { mentions, pathOf, samePath, stripCasts } from '../facts/paths';
import { dominates, eventsAfter, reachesWithout } from '../flow/order';
import { ownerOf } from '../flow/owner-types';
import { resolveCallee } from '../flow/program';
import { endedByHelper, isDeleterCall } from './managed-tensor';

export interface OwnedTensor {
  readonly ended: Call;
  /** Where the owner takes it. */
  readonly taken: Event;
}

export function endedThoughOwned(file: FileFacts, fn: FunctionFacts): OwnedTensor[] {
  if (fn.degraded) return [];
  const ends = fn.calls.flatMap((call) => {
    const path = pathOf(isDeleterCall(call) ? call.args[0] : endedByHelper(call, file));
    return path ? [{ call, path }] : [];
  });
  if (ends.length === 0) return [];
  const owners = fn.events.flatMap((event) => (event.kind === 'assign' ? (ownershipOf(file, event) ?? []) : []));
  return ends.flatMap(({ call, path }) => {
    const owned = owners.find((each) => concerns(each, path) && isStillOwned(file, each, call));
    return owned ? [{ ended: call, taken: owned.taken }] : [];
  });
}

interface Ownership {
  readonly taken: Assign;
  readonly tensor: Path;
  readonly owner: Path;
}

/** `Holder holder(tensor)`, `auto holder = Holder{tensor}`: a local that takes the tensor over. */
function ownershipOf(file: FileFacts, taken: Assign): Ownership | undefined {
  const { declares, value } = taken;
  const owner = pathOf(taken.target);
  const made = value && stripCasts(value);
  if (!declares || owner?.kind !== 'local' || (made?.kind !== 'call' && made?.kind !== 'init')) return undefined;
  const args = made.kind === 'call' ? made.args : made.entries.map((entry) => entry.value);
  const tensor = pathOf(args[0]);
  const isOwner = made.kind === 'call' ? ownsByCall(file, made, declares.type) : ownsByType(file, made.type ?? declares.type, args);
  return tensor && isOwner ? { taken, tensor, owner } : undefined;
}

function ownsByCall(file: FileFacts, call: Call, type: string): boolean {
  if (/^(PyCapsule_New|capsule)$/.test(call.name)) return isCapsuleWithEnd(call.args);
  if (/^(at|torch|c10)::fromDLPack$/.test(call.callee)) return true;
  if (call.form === 'construct') return ownsByType(file, type, call.args);
  return file.classNamed(call.name) !== undefined && ownsByType(file, call.name, call.args);
}

function ownsByType(file: FileFacts, type: string, args: readonly Expr[]): boolean {
  if (/(^|::)capsule$/.test(type)) return isCapsuleWithEnd(args);
  if (/\b(unique|shared)_ptr</.test(type) && /DLManagedTensor/.test(type)) return args.length > 1 || /DLManagedTensor\w*\s*,/.test(type);
  const shown = ownerOf(file, type);
  return shown !== undefined && endsItsTensor(shown);
}

/** `PyCapsule_New(tensor, "dltensor", destructor)`. */
function isCapsuleWithEnd([, name, end]: readonly Expr[]): boolean {
  return name?.kind === 'string' && /^dltensor/.test(name.value) && end !== undefined && end.kind !== 'null';
}

/** A constructor keeps what it is given, and the destructor calls the deleter of that. */
function endsItsTensor({ methods, destructor }: ClassFacts): boolean {
  const own = destructor?.calls.flatMap((call) => methods.filter((method) => !call.receiver && method.name === call.name)) ?? [];
  const ended = [destructor, ...own].flatMap((method) => method?.calls ?? []).find(isDeleterCall);
  const field = ended && pathOf(ended.args[0]);
  if (field?.kind !== 'this') return false;
  const keeps = (event: Event) =>
    event.kind === 'assign' && samePath(pathOf(event.target), field) && event.value !== undefined && pathOf(soleOf(event.value))?.kind === 'param';
  return methods.some((method) => method.kind === 'constructor' && method.events.some(keeps));
}

/** `x` of `{x}`. */
function soleOf(value: Expr): Expr {
  return value.kind === 'init' && value.entries.length === 1 ? value.entries[0]!.value : value;
}

/** The deleter gets the tensor that was handed over, by its old name or through the owner. */
function concerns({ tensor, owner }: Ownership, path: Path): boolean {
  return samePath(path, tensor) || path.root === owner.root;
}

/** The owner has it when the deleter runs, and keeps it. */
function isStillOwned(file: FileFacts, { taken, tensor, owner }: Ownership, ended: Call): boolean {
  if (taken.id >= ended.id || !dominates(taken, ended)) return false;
  const letsGo = (event: Event) => lets(file, event, owner) || (event.kind === 'assign' && samePath(pathOf(event.target), tensor));
  if (!reachesWithout(taken, ended, letsGo)) return false;
  return ![...eventsAfter(ended)].some((event) => lets(file, event, owner));
}

const harmless =
  /^(get|data|tensor|size|bytes|shape|device|dtype|operator\w*|valid|empty|use_count|is_\w+|has_\w+|ndim|dim|numel|sizes|view|sum|mean|min|max|item|cpu|cuda|to|clone|copy_|contiguous|permute|reshape)$/;

/** The owner is emptied, moved or given to somebody who may do so. A capsule that loses its name or a reference to it loses nothing. */
function lets(file: FileFacts, event: Event, owner: Path): boolean {
  if (event.kind === 'assign') return samePath(pathOf(event.target), owner) || (event.value !== undefined && isMoved(event.value, owner));
  if (event.kind === 'return') return event.value !== undefined && isWhole(event.value, owner);
  if (event.kind === 'escape') return event.paths.some((path) => path.root === owner.root);
  if (event.kind !== 'call') return false;
  if (/^Py_X?(DECREF|CLEAR)$/.test(event.name)) return false;
  if (event.receiver && samePath(pathOf(event.receiver), owner)) return !harmless.test(event.name) && !onlyReads(file, event);
  return event.args.some((arg) => isWhole(arg, owner));
}

function onlyReads(file: FileFacts, call: Call): boolean {
  const method = resolveCallee(file, call);
  return (
    method !== undefined &&
    !method.events.some((event) => event.kind === 'assign' && pathOf(event.target)?.kind === 'this') &&
    !method.calls.some(isExchange)
  );
}

function isExchange(call: Call): boolean {
  return /^(exchange|swap|reset|release)$/.test(call.name);
}

function isMoved(value: Expr, owner: Path): boolean {
  const bare = stripCasts(value);
  return bare.kind === 'path' ? samePath(bare.path, owner) : bare.kind !== 'call' && mentions(bare, owner) && isWhole(bare, owner);
}

function isWhole(expr: Expr, owner: Path): boolean {
  const bare = stripCasts(expr);
  if (bare.kind === 'path') return samePath(bare.path, owner);
  if (bare.kind === 'unary') return isWhole(bare.operand, owner);
  return bare.kind === 'init' && bare.entries.some((entry) => isWhole(entry.value, owner));
}
