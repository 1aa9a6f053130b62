// Descriptors that a function obtained and that are surely nobody's when it leaves, overwrites or obtains them again.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path, Span } from '../facts/index';
import { declarationOf, expressionsOf, isWithin, pathKey, pathOf, samePath, stripCasts, walk } from '../facts/paths';
import type { Violation } from '../flow/machine';
import { dominates, eventsAfter } from '../flow/order';
import { resolveCallee, violationsOf } from '../flow/program';
import { bareType } from '../knowledge/index';
import { functionQuery } from '../memo/query';
import { isPlainType } from './closing-objects';
import { duplicates, keepsDuplicateOnly } from './duplicating-constructors';
import { eventsOnSide, failedSide, jumpOf, testedCall } from './failure-sides';
import { fdOwnership, sendsCopy } from './fd-ownership';

export interface FdLeak {
  /** The call that gives the descriptor to this function: the export, or the helper that exports. */
  readonly acquired: Call;
  /** The way out, or the event that overwrites the only name. */
  readonly at: Event;
  readonly how: 'left' | 'overwritten' | 'again';
  /** Other ways close it or hand it on: where this one turns off, the `goto` or the way out itself. */
  readonly way: Located | undefined;
}

type Located = Event | { readonly span: Span };

const kinds: Readonly<Record<string, FdLeak['how']>> = { leak: 'left', overwritten: 'overwritten', reacquired: 'again' };

export function fdLeaks(file: FileFacts): FdLeak[] {
  const found = violationsOf(file, fdOwnership).flatMap((each) => leakOf(file, each) ?? []);
  return found.filter((each, i) => found.findIndex((other) => other.acquired === each.acquired) === i);
}

function leakOf(file: FileFacts, found: Violation): FdLeak | undefined {
  const how = kinds[found.kind];
  const acquired = found.trace.findLast((step) => step.state === 'owned' && step.at.fn === found.at.fn)?.at;
  if (!how || acquired?.kind !== 'call' || !isExport(found)) return undefined;
  // The end of the program closes everything.
  if (how === 'left' && acquired.fn.name === 'main') return undefined;
  if (keepsWhatItReturns(file, acquired)) return undefined;
  const names = holdersOf(file, acquired);
  // `fds.at(i) = f()`: it is kept where no path leads.
  if (names.length === 0 && (acquired.use === 'assigned' || isInUnknown(file, acquired))) return undefined;
  if (isMocked(acquired.fn, names) || isHalfOff(file)) return undefined;
  if (how === 'overwritten' && acquired.fn.events.some((event) => forgets(event, names))) return undefined;
  if (!names.every((name) => isPlain(file, acquired.fn, name)) || mayBeDisposed(file, acquired, found.at, names)) return undefined;
  if (how === 'left' && isToldByHelper(file, found.at, names)) return undefined;
  const saves = (event: Event) => disposes(file, event, names) && !isBehindFailedCopy(file, event);
  const isSaved = how === 'left' && [...eventsAfter(acquired)].some(saves);
  return { acquired, at: found.at, how, way: isSaved ? turningPoint(file, acquired, found.at, names) : undefined };
}

/** `std::vector<int> fds{dup(fd)}`: by which name it goes on from there the file does not show. */
function isInUnknown(file: FileFacts, acquired: Call): boolean {
  const isShown = (type: string) => isPlainType(file, type) || file.classNamed(type) !== undefined;
  return acquired.fn.events.some((event) => {
    if (event.kind !== 'assign' || !event.declares || event.value?.kind !== 'init') return false;
    return !isShown(bareType(event.declares.type)) && walk(event.value).includes(acquired);
  });
}

/** `ASSERT_EQ(fd, 0x42)`: no kernel gives a number that is known before. */
function isMocked(fn: FunctionFacts, names: readonly Path[]): boolean {
  const isNamed = (expr: Expr) => names.some((name) => samePath(pathOf(expr), name));
  const isNumber = (expr: Expr) => expr.kind === 'number' && expr.value > 2;
  return fn.calls.some(({ name, args }) => /^(ASSERT|EXPECT|CHECK|REQUIRE)_EQ$/.test(name) && args.some(isNamed) && args.some(isNumber));
}

/** Where the half that imports is compiled out, nobody exports either: what is left of the function never runs. */
function isHalfOff({ arm }: FileFacts): boolean {
  return /(^|, )without \w*(CUDA|HIP|ROCM|INTEROP)\w*/i.test(arm ?? '');
}

/** The last `goto` on the way, or the way out. */
function turningPoint(file: FileFacts, acquired: Call, at: Event, names: readonly Path[]): Located {
  const blocked = (event: Event) => event !== at && disposes(file, event, names);
  const reached = [...eventsAfter(acquired, { blocked })];
  const jumps = reached.flatMap((event) => {
    const jump = event.kind === 'test' ? jumpOf(file, event) : undefined;
    return event.kind === 'test' && jump && [...eventsOnSide(event, jump.side, blocked)].includes(at) ? [jump] : [];
  });
  return jumps.length > 0 ? { span: jumps.at(-1)!.at } : at;
}

/** Exported or duplicated; files, sockets and the like are somebody else's subject. */
function isExport(found: Violation): boolean {
  const first = found.trace[0]?.at;
  return first?.kind === 'call' && (first.api?.does('export') || /^(dup|eglDupNativeFenceFDANDROID)$/.test(first.api?.name ?? '')) === true;
}

/** The helper stores the descriptor in a member or a global and returns it: what it returns is lent. */
function keepsWhatItReturns(file: FileFacts, acquired: Call): boolean {
  const callee = acquired.api ? undefined : resolveCallee(file, acquired);
  if (!callee) return false;
  const returned = callee.events.flatMap((event) => (event.kind === 'return' && event.value ? (pathOf(stripCasts(event.value)) ?? []) : []));
  return callee.events.some((event) => {
    if (event.kind !== 'assign' || event.declares || !event.value) return false;
    const [target, source] = [pathOf(event.target), pathOf(stripCasts(event.value))];
    const isKept = target !== undefined && (/^(this|global)$/.test(target.kind) || (target.kind === 'param' && target.steps.length > 0));
    return isKept && returned.some((path) => samePath(path, source) || samePath(path, target));
  });
}

/** `fd = -1`: whoever writes this means that somebody else has it now. */
function forgets(event: Event, names: readonly Path[]): boolean {
  if (event.kind !== 'assign' || event.declares || event.value?.kind !== 'number' || event.value.value >= 0) return false;
  const target = pathOf(event.target);
  return names.some((name) => target !== undefined && pathKey(name) === pathKey(target));
}

/** The paths that hold the descriptor: where it goes first and what that is copied to. */
function holdersOf(file: FileFacts, acquired: Call): Path[] {
  const { api, fn, result } = acquired;
  const first = api ? [api.api.result === 'fd' ? result : api.path('fd')] : [returnsOutcome(file, acquired) ? undefined : result];
  const written = api ? [] : writtenByHelper(file, acquired);
  return [...first, ...written].flatMap((path) => (path ? copiesOf(fn, path) : []));
}

/** A helper that returns how it went writes the descriptor elsewhere. */
function returnsOutcome(file: FileFacts, call: Call): boolean {
  return /^(bool|_Bool|gboolean|BOOL|void|\w*(Result|result|Status|status|error_t|Error))$/.test(resolveCallee(file, call)?.returnType ?? '');
}

/** What a helper may write the descriptor to. */
function writtenByHelper(file: FileFacts, call: Call): Path[] {
  const params = resolveCallee(file, call)?.params ?? [];
  return params.flatMap(({ type }, i) => (/[*&]$/.test(type) && !/^const\b/.test(type) ? (pathOf(call.args[i]) ?? []) : []));
}

function copiesOf(fn: FunctionFacts, first: Path): Path[] {
  const names = [first];
  for (const event of fn.events) {
    if (event.kind !== 'assign' || event.target.kind !== 'path' || !event.value || event.value.kind === 'call') continue;
    const { path } = event.target;
    const copies = [...walk(event.value)].some((part) => part.kind === 'path' && names.some((name) => pathKey(name) === pathKey(part.path)));
    if (copies && !names.some((name) => pathKey(name) === pathKey(path))) names.push(path);
  }
  return names;
}

/** Integers and structs without a destructor; anything else may close what it holds. */
function isPlain(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  if (path.steps.some((step) => step.startsWith('['))) return false;
  const variable = declarationOf(fn, path);
  if (path.kind !== 'local' || !variable || variable.isStatic || /&$/.test(variable.type)) return false;
  const type = bareType(variable.type);
  if (type === 'auto') return !fn.events.some((event) => readsPart(event, path.root));
  if (isPlainType(file, type)) return true;
  const owner = file.classNamed(type);
  return owner !== undefined && !owner.destructor && !owner.destructorElsewhere && owner.bases.length === 0;
}

/** `result.value`: the variable is no bare descriptor. */
function readsPart(event: Event, root: string): boolean {
  const parts = expressionsOf(event).flatMap((expr) => [...walk(expr)]);
  return parts.some((part) => part.kind === 'path' && part.path.root === root && part.path.steps.length > 0);
}

/**
 * Something that may close or take the descriptor lies before the place on some path. Then the path without it depends on a condition
 * that may well be right, and only paths that nothing can save count.
 */
function mayBeDisposed(file: FileFacts, acquired: Call, at: Event, names: readonly Path[]): boolean {
  for (const event of eventsAfter(acquired, { blocked: (each) => each === acquired })) {
    if (event === acquired || event === at || !disposes(file, event, names) || isBehindFailedCopy(file, event)) continue;
    for (const after of eventsAfter(event, { blocked: (each) => each === acquired })) if (after === at) return true;
  }
  return false;
}

/** `if (!is_open(fd)) return;` of a helper that only compares: there may be no descriptor at all. */
function isToldByHelper(file: FileFacts, at: Event, names: readonly Path[]): boolean {
  return at.fn.events.some((test) => {
    const asked = test.kind === 'test' && dominates(test, at) ? stripCasts(test.expr) : undefined;
    if (asked?.kind !== 'call' || !asked.args.some((arg) => gives(arg, names))) return false;
    const [only, ...more] = resolveCallee(file, asked)?.events ?? [];
    return more.length === 0 && only?.kind === 'return' && only.value?.kind === 'binary';
  });
}

/** Closed only where a copy could not be made: the way on which there is one needs a close of its own. */
function isBehindFailedCopy(file: FileFacts, event: Event): boolean {
  return behindFailedCopies(file, event.fn).has(event);
}

const behindFailedCopies = functionQuery((file, fn) => {
  const found = new Set<Event>();
  for (const test of fn.events) {
    const copy = test.kind === 'test' ? testedCall(test) : undefined;
    if (test.kind !== 'test' || !copy || !(duplicates(copy) || keepsDuplicateOnly(file, copy))) continue;
    const failed = failedSide(file, test) ?? false;
    const copied = new Set(eventsOnSide(test, !failed, () => false));
    for (const event of fn.events) if (dominates(test, event) && !copied.has(event)) found.add(event);
  }
  return found;
});

function disposes(file: FileFacts, event: Event, names: readonly Path[], depth = 4): boolean {
  if (event.kind === 'escape') return event.paths.some((path) => names.some((name) => isWithin(name, path)));
  if (event.kind !== 'call') return false;
  const { api } = event;
  if (api) return !sendsCopy(event) && !duplicates(event) && disposers.test([...api.api.does, api.name].join(' ')) && givesAway(event, names);
  if (keepsDuplicateOnly(file, event)) return false;
  const callee = resolveCallee(file, event);
  if (callee && depth > 0) return callee.params.some((param, i) => gives(event.args[i], names) && disposesParam(file, callee, param.name, depth - 1));
  return !/^(f?printf|snprintf|assert|LOG\w*|log\w*)$/.test(event.name) && givesAway(event, names);
}

const disposers = /\b(close|import|send|dup2|dup3|ioctl|fcntl|memcpy|memmove)\b/;

function disposesParam(file: FileFacts, fn: FunctionFacts, name: string, depth: number): boolean {
  const names = copiesOf(fn, { root: name, kind: 'param', steps: [] });
  return fn.events.some((event) => disposes(file, event, names, depth));
}

function givesAway(call: Call, names: readonly Path[]): boolean {
  return call.args.some((arg) => gives(arg, names)) || touchesPath(call, names);
}

function gives(arg: Expr | undefined, names: readonly Path[]): boolean {
  return arg !== undefined && [...walk(arg)].some((part) => part.kind === 'path' && touches(part.path, names));
}

function touchesPath(event: Call, names: readonly Path[]): boolean {
  const path = event.receiver && pathOf(event.receiver);
  return path !== undefined && touches(path, names);
}

function touches(path: Path, names: readonly Path[]): boolean {
  return names.some((name) => name.root === path.root);
}
