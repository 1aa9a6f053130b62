// Work that functions of the file queue and leave running when they return, seen from their callers.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, extend, mentions, pathOf } from '../facts/paths';
import { returnsWithout } from '../flow/order';
import { resolveCallee } from '../flow/program';
import { functionQuery } from '../memo/query';
import { afterSuccess, mayWait, streamKey, type Work, waitsForStream, worksIn } from './stream-order';

/**
 * The work behind the calls of helpers that are given something, or that use it as a field of the same object. `endsByUnmap`: an unmap of
 * graphics resources in a helper orders what was before it.
 */
export function worksOfHelpers(file: FileFacts, fn: FunctionFacts, used: readonly Path[], endsByUnmap: boolean): Work[] {
  return fn.calls.flatMap((call) => {
    const callee = calleeOf(file, call);
    if (!callee || !used.some((path) => touches(call, callee, path))) return [];
    const left = (endsByUnmap ? leftUnmapped : leftAnyway)(file, callee);
    return left ? (seenFrom(file, call, callee, left) ?? []) : [];
  });
}

function calleeOf(file: FileFacts, call: Call): FunctionFacts | undefined {
  const callee = call.api || call.launch ? undefined : resolveCallee(file, call);
  return callee?.degraded ? undefined : callee;
}

function touches(call: Call, callee: FunctionFacts, used: Path): boolean {
  if (call.args.some((arg) => mentions(arg, used))) return true;
  return isOwn(call, callee) && used.kind === 'this' && callee.events.some((event) => expressionsOf(event).some((expr) => mentions(expr, used)));
}

/** A method of the same object. */
function isOwn({ fn, receiver }: Call, callee: FunctionFacts): boolean {
  const onSelf = !receiver || (receiver.kind === 'path' && receiver.path.root === 'this' && receiver.path.steps.length === 0);
  return callee.className !== undefined && callee.className === fn.className && onSelf;
}

type LeftIn = (file: FileFacts, fn: FunctionFacts) => Work | undefined;

/** The last work that a function leaves running, its own or that of helpers of the level below. */
function leftWith(endsByUnmap: boolean, inner: LeftIn | undefined): LeftIn {
  return functionQuery((file, fn) => {
    const behind = fn.calls.flatMap((call) => {
      const callee = inner && calleeOf(file, call);
      const work = callee && callee !== fn ? inner(file, callee) : undefined;
      return callee && work ? (seenFrom(file, call, callee, work) ?? []) : [];
    });
    return [...worksIn(file, fn), ...behind].findLast((work) => isLeft(file, work, endsByUnmap));
  });
}

/** Helpers of helpers of helpers. */
const deep = (endsByUnmap: boolean) => leftWith(endsByUnmap, leftWith(endsByUnmap, leftWith(endsByUnmap, undefined)));
const leftAnyway = deep(false);
const leftUnmapped = deep(true);

/** Nothing behind it in its function may wait for it. */
function isLeft(file: FileFacts, work: Work, endsByUnmap: boolean): boolean {
  const later = work.call.fn.events.filter(({ id }) => id > work.call.id);
  const isWait = (call: Call) => waitsForStream(file, call, work.key) || (endsByUnmap && isUnmap(call));
  if (later.some((event) => mayWait(file, event, isWait))) return false;
  return returnsWithout(afterSuccess(work.call), () => false);
}

/** The call gives graphics resources back, in the order of its stream. */
export function isUnmap({ api }: Call): boolean {
  return /^(cuda|cu)GraphicsUnmapResources$/.test(api?.name ?? '');
}

/** With the stream in the words of the caller; nothing where that is a local of the helper. */
function seenFrom(file: FileFacts, call: Call, callee: FunctionFacts, { key, written }: Work): Work[] | undefined {
  const path = pathOf(written);
  if (!path || path.kind === 'global') return [{ call, key, written }];
  if (path.kind === 'this') return isOwn(call, callee) ? [{ call, key, written }] : undefined;
  const given = path.kind === 'param' ? argumentOf(call, callee, path.root) : undefined;
  const inside = given && insideOf(given, path.steps);
  return inside && [{ call, key: streamKey(file, call, inside), written: inside }];
}

/** `d->stream` for `stream` of what is given as `d`. */
function insideOf(given: Expr, steps: readonly string[]): Expr | undefined {
  const path = steps.length > 0 ? pathOf(given) : undefined;
  // Nobody has written it like this.
  const span = { start: given.span.start, end: given.span.start };
  return path ? { kind: 'path', path: extend(path, ...steps), span } : steps.length === 0 ? given : undefined;
}

function argumentOf(call: Call, callee: FunctionFacts, name: string): Expr | undefined {
  return call.args[callee.params.findIndex((param) => param.name === name)];
}
