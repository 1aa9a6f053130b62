// Two events of which a run reaches at most one: they stand on opposite sides of one condition that is asked twice.
import type { Call, Event, FileFacts, Path, Test } from '../facts/index';
import { addressOf, isWithin, pathKey, pathOf, walk } from '../facts/paths';
import { assignmentsTo } from './calls';
import { type Condition, conditionOf } from './conditions';
import { dominates } from './order';
import { resolveCallee } from './program';

interface Side extends Condition {
  readonly test: Test;
  readonly holds: boolean;
}

/** No run passes both: what decides about the one decides against the other, and does not change in between. */
export function excludeEachOther(file: FileFacts, a: Event, b: Event): boolean {
  if (a.fn !== b.fn) return false;
  const others = sidesOf(file, b);
  return sidesOf(file, a).some((side) => others.some((other) => isOpposite(side, other) && staysSame(file, side.test, other.test)));
}

function isOpposite(a: Side, b: Side): boolean {
  return a.test !== b.test && a.text === b.text && a.holds !== b.holds;
}

/** The tests that every way to the event passes, and how they came out. */
function sidesOf(file: FileFacts, event: Event): Side[] {
  return event.fn.events.flatMap((test) => {
    if (test.kind !== 'test' || !dominates(test, event)) return [];
    const outcomes = event.fn.blocks[test.block]!.edges.filter(({ when, to }) => when !== undefined && leadsTo(test, to, event));
    const [only, ...more] = outcomes;
    if (!only || more.length > 0) return [];
    const condition = conditionOf(test.expr, (of) => file.source(of));
    return [{ ...condition, test, holds: only.when !== condition.isTurned }];
  });
}

/** Does the block get to the event without asking again? */
function leadsTo(test: Test, from: number, { fn, block }: Event): boolean {
  const seen = new Set([from]);
  for (const each of seen) {
    if (each === block) return true;
    if (each !== test.block) for (const { to, kind } of fn.blocks[each]!.edges) if (kind !== 'maybe') seen.add(to);
  }
  return false;
}

/** What the condition is made of is written nowhere behind the first of the tests. */
function staysSame(file: FileFacts, a: Test, b: Test): boolean {
  const parts = [...walk(a.expr)];
  if (parts.some((part) => part.kind === 'call')) return false;
  const first = Math.min(a.id, b.id);
  const paths = parts.flatMap((part) => (part.kind === 'path' ? [part.path] : []));
  return !a.fn.events.some((event) => event.id > first && paths.some((path) => writes(file, event, path)));
}

function writes(file: FileFacts, event: Event, path: Path): boolean {
  if (event.kind === 'assign') return concerns(pathOf(event.target), path);
  return event.kind === 'call' && (event.args.some((arg) => concerns(addressOf(arg), path)) || writesInside(file, event, path));
}

function concerns(written: Path | undefined, path: Path): boolean {
  return written !== undefined && (isWithin(path, written) || isWithin(written, path));
}

/** A helper of the file sets the field or the global. */
function writesInside(file: FileFacts, call: Call, path: Path): boolean {
  const callee = path.kind === 'this' || path.kind === 'global' ? resolveCallee(file, call) : undefined;
  return callee !== undefined && assignmentsTo(file, pathKey(path)).some(({ fn }) => fn === callee);
}
