// Constructors and functions that duplicate the descriptor that they are given and keep the duplicate: the caller's own one stays the caller's.
import type { Call, Event, Expr, FileFacts, FunctionFacts } from '../facts/index';
import { expressionsOf, pathOf, stripCasts, walk } from '../facts/paths';
import { resolveCallee } from '../flow/program';
import { classMade } from './constructions';

/**
 * `new Fence(fd)`, `Fence fence(fd)`, `std::make_unique<Fence>(fd)` and `fences.emplace_back(fd)` of a class of the file that calls `dup`
 * on it and keeps nothing else; `Fence::copy_of(fd)` and other functions of the file that do.
 */
export function keepsDuplicateOnly(file: FileFacts, call: Call): boolean {
  if (call.keywords.size > 0) return false;
  const name = classMade(file, call);
  const made = name ? soleConstructor(file, name, call.args.length) : resolveCallee(file, call);
  const given = made?.params.filter((_, i) => pathOf(call.args[i]) !== undefined && mayBeFd(call.args[i]!)) ?? [];
  const some = given.some((param) => isOnlyDuplicated(made!, param.name));
  return some && given.every((param) => isOnlyDuplicated(made!, param.name) || (!name && !/^(const )?(int|auto)$/.test(param.type)));
}

/** `&slot` is no descriptor. */
function mayBeFd(arg: Expr): boolean {
  return stripCasts(arg).kind === 'path';
}

function soleConstructor(file: FileFacts, name: string, given: number): FunctionFacts | undefined {
  const owner = file.classNamed(name);
  if (!owner || owner.constructorElsewhere || owner.bases.length > 0) return undefined;
  const [only, another] = owner.methods.filter(({ kind, params }) => kind === 'constructor' && params.length === given);
  return another ? undefined : only;
}

/** Beside tests, each use of the parameter is what a `dup` is given. */
function isOnlyDuplicated(fn: FunctionFacts, name: string): boolean {
  const uses = fn.events.flatMap((event) => usesIn(event, name));
  const given = fn.calls.filter(duplicates).flatMap((call) => [...call.args]);
  return uses.length > 0 && uses.some((use) => given.includes(use)) && uses.every((use) => given.includes(use) || isTested(fn, use));
}

function usesIn(event: Event, name: string): Expr[] {
  if (event.kind === 'escape') return [...event.paths, ...event.copies].some((path) => path.root === name) ? [noUse] : [];
  return expressionsOf(event).flatMap((expr) => [...walk(expr)].filter((part) => part.kind === 'path' && part.path.root === name));
}

/** Stands for a lambda that has the descriptor: neither tested nor duplicated. */
const noUse: Expr = { kind: 'null', span: { start: 0, end: 0 } };

/** `dup(fd)`, `fcntl(fd, F_DUPFD_CLOEXEC, 0)`: the number that is given stays whose it was. */
export function duplicates(call: Call): boolean {
  if (call.api?.name === 'dup') return true;
  return call.name === 'fcntl' && call.args[1]?.kind === 'path' && /^F_DUPFD/.test(call.args[1].path.root);
}

/** `fd < 0`, in a condition or before `?`. */
function isTested(fn: FunctionFacts, use: Expr): boolean {
  return fn.events.some((event) =>
    expressionsOf(event).some((root) =>
      [...walk(root)].some(
        (part) => part.kind === 'binary' && /^([<>]=?|[!=]=)$/.test(part.op) && [part.left, part.right].map(stripCasts).includes(use),
      ),
    ),
  );
}
