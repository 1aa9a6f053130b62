// Descriptors that some other object owns and that are kept in a field without a dup.
import type { Assign, Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { declarationOf, isWithin, lastName, pathKey, pathOf, stripCasts, walk } from '../facts/paths';
import { typeOfPath } from '../flow/visible';
import { bareType } from '../knowledge/index';

export interface BorrowedFd {
  readonly store: Assign;
  readonly target: Path;
  readonly owner: string;
  /** The owner dies with this function. */
  readonly isLocal: boolean;
  /** Where the target's class closes the descriptor too. */
  readonly close: Call | undefined;
}

export function borrowedFds(file: FileFacts): BorrowedFd[] {
  return file.subjects.flatMap((fn) =>
    fn.degraded ? [] : fn.events.flatMap((event) => (event.kind === 'assign' ? (borrowed(file, event) ?? []) : [])),
  );
}

function borrowed(file: FileFacts, store: Assign): BorrowedFd | undefined {
  const target = pathOf(store.target);
  if (store.op !== '=' || !store.value || !target || target.steps.length === 0) return undefined;
  const source = sourceOf(file, store.fn, stripCasts(store.value));
  if (!source || source.owner.root === target.root || source.owner.kind === 'this' || !outlives(target, source.isLocal)) return undefined;
  if (isKept(store, source.owner) || isReset(store, source)) return undefined;
  const fields = file.classNamed(store.fn.className ?? '')?.methods ?? [];
  const close = target.kind === 'this' ? closeOf(fields, target) : undefined;
  return { store, target, owner: file.source(store.value), isLocal: source.isLocal, close };
}

/** The field lives on when the owner is gone: one of the own object, a global, or the caller's where the owner is a local. */
function outlives(target: Path, isLocal: boolean): boolean {
  return target.kind === 'this' || target.kind === 'global' || (target.kind === 'param' && isLocal);
}

export interface Source {
  readonly owner: Path;
  /** The owner's field, where it is read directly. */
  readonly field: Path | undefined;
  readonly isLocal: boolean;
}

const ownerTypes =
  /^(\w+::)*(unique|scoped|auto|owned|raii|safe|unix)_?(fd|file_?desc(riptor)?)(_t)?$|^(\w+::)*(UniqueFD|ScopedFD|AutoFD|OwnedFD|FdHolder|fd_owner)$/i;
const getters = /^(get|fd|raw|value|native|native_handle|get_fd|getFd|as_raw_fd|handle)$/;

/** `owner.get()`, `owner.fd()`, or the descriptor field of a class that closes it. */
export function sourceOf(file: FileFacts, fn: FunctionFacts, value: Expr): Source | undefined {
  if (value.kind === 'call') {
    const owner = getters.test(value.name) && value.args.length === 0 ? pathOf(value.receiver) : undefined;
    const type = owner && typeOfPath(file, fn, owner);
    const owns = type !== undefined && (ownerTypes.test(type) || ownsBy(file, type, value.name));
    return owner && owns ? { owner, field: undefined, isLocal: diesHere(fn, owner) } : undefined;
  }
  if (value.kind !== 'path' || value.path.steps.length === 0) return undefined;
  const owner = { ...value.path, steps: value.path.steps.slice(0, -1) };
  const closes = closesOf(file, typeOfPath(file, fn, owner));
  return closes.includes(lastName(value.path)) ? { owner, field: value.path, isLocal: diesHere(fn, owner) } : undefined;
}

/** A getter of a class of this file that returns a descriptor which its destructor closes. */
function ownsBy(file: FileFacts, type: string, getter: string): boolean {
  const closes = closesOf(file, type);
  const method = file.classNamed(type)?.methods.find((each) => each.name === getter);
  return (
    method?.events.some(
      (event) => event.kind === 'return' && closes.includes(lastName(pathOf(event.value) ?? { root: '', kind: 'local', steps: [] })),
    ) ?? false
  );
}

/** Fields that the destructor of a class of this file closes as descriptors. */
function closesOf(file: FileFacts, type: string | undefined): string[] {
  const destructor = type ? file.classNamed(bareType(type))?.destructor : undefined;
  return (destructor?.calls ?? []).flatMap((call) => {
    const path = call.api?.does('close') ? pathOf(call.api.arg('fd')) : undefined;
    return path?.kind === 'this' && path.steps.length === 1 ? [lastName(path)] : [];
  });
}

function diesHere(fn: FunctionFacts, owner: Path): boolean {
  const variable = declarationOf(fn, owner);
  return variable !== undefined && !variable.isStatic && !/[*&]/.test(variable.type);
}

/** The owner itself is moved to a place that lives on, or handed to somebody. */
function isKept(store: Assign, owner: Path): boolean {
  const names = (expr: Expr | undefined) =>
    expr !== undefined && [...walk(expr)].some((part) => part.kind === 'path' && part.path.root === owner.root);
  return store.fn.events.some((event: Event) => {
    if (event === store) return false;
    if (event.kind === 'assign') return event.target.kind === 'path' && event.target.path.kind !== 'local' && isWhole(event.value, owner);
    if (event.kind === 'return') return names(event.value) && isWhole(event.value, owner);
    if (event.kind === 'escape') return event.paths.some((path) => path.root === owner.root);
    if (event.kind !== 'call' || event.api) return false;
    // `release()`, or the owner as an argument.
    return (
      (/^(release|take|detach|leak|swap)$/.test(event.name) && names(event.receiver)) ||
      (!/^(get|move)$/.test(event.name) && event.args.some((arg) => isWhole(arg, owner)))
    );
  });
}

function isWhole(expr: Expr | undefined, owner: Path): boolean {
  if (!expr) return false;
  const bare = stripCasts(expr);
  if (bare.kind === 'init') return bare.entries.some((entry) => isWhole(entry.value, owner));
  return bare.kind === 'path' && bare.path.root === owner.root && bare.path.steps.length <= owner.steps.length;
}

/** A move: the owner's field is set to something else afterwards. */
function isReset(store: Assign, { owner, field }: Source): boolean {
  return store.fn.events.some((event) => {
    if (event.id <= store.id) return false;
    const target = event.kind === 'assign' ? pathOf(event.target) : undefined;
    return target !== undefined && isWithin(field ?? owner, target) && target.root === owner.root;
  });
}

function closeOf(methods: readonly FunctionFacts[], target: Path): Call | undefined {
  return methods
    .flatMap((method) => method.calls)
    .find((call) => call.api?.does('close') && pathKey(pathOf(call.api.arg('fd')) ?? { root: '', kind: 'local', steps: [] }) === pathKey(target));
}
