// Streams that wait for a value of a timeline which they have signalled themselves: such a wait orders nothing.
import type { Assign, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { addressOf, pathKey, pathOf, samePath, stripCasts } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { dominates } from '../flow/order';
import { type Signal, signalsIn, waitsIn } from './semaphores';

export interface OwnWait {
  readonly wait: Signal;
  readonly signal: Signal;
}

/** `a * n + b` over one counter. */
interface Linear {
  readonly key: string | undefined;
  readonly path: Path | undefined;
  readonly factor: number;
  readonly offset: number;
}

/** Waits of a stream for what the same stream has signalled in the round before. */
export function waitsForOwnSignals(file: FileFacts, fn: FunctionFacts): OwnWait[] {
  const waits = waitsIn(fn);
  const signals = waits.length > 0 ? signalsIn(fn).filter((each) => /SignalExternalSemaphoresAsync$/.test(each.call.api!.name)) : [];
  return waits.flatMap((wait): OwnWait[] => {
    const waited = linear(file, wait.at, wait.value);
    if (!waited?.key) return [];
    for (const signal of signals) {
      const set = linear(file, signal.at, signal.value);
      if (!set || set.key !== waited.key || set.factor !== waited.factor || !isSameSide(wait, signal)) continue;
      if (!dominates(wait.call, signal.call)) continue;
      const counts = countsBetween(fn, waited.path!, wait, signal);
      // Counted up by one a round, the round before signalled `factor` less. Only a counter that both values are made of tells.
      const isLast = waited.factor > 1 && set.offset - waited.factor === waited.offset && counts.length === 0;
      if (isLast || (set.offset === waited.offset && counts.length === 1 && isOnlyCount(file, fn, counts[0]!))) return [{ wait, signal }];
    }
    return [];
  });
}

function isSameSide(wait: Signal, signal: Signal): boolean {
  const [a, b] = [wait, signal].map(({ call }) => pathOf(call.api!.arg('stream')));
  return samePath(wait.semaphore, signal.semaphore) && a !== undefined && samePath(a, b);
}

/** Where the counter changes between the two values. */
function countsBetween(fn: FunctionFacts, path: Path, wait: Signal, signal: Signal): Assign[] {
  return counts(fn, path).filter(({ id }) => id > wait.at.id && id < Math.max(signal.at.id, signal.call.id));
}

function counts(fn: FunctionFacts, path: Path): Assign[] {
  return fn.events.filter((event): event is Assign => event.kind === 'assign' && samePath(pathOf(event.target), path));
}

/** Nobody else in the class counts, so that between two rounds the counter stays what this stream has signalled. */
function isOnlyCount(file: FileFacts, fn: FunctionFacts, count: Assign): boolean {
  const path = pathOf(count.target)!;
  if (path.kind !== 'this' || path.steps.length !== 1 || !fn.className || !/^(\+\+|\+=)$/.test(count.op)) return false;
  const all = file.functionsOfClass(fn.className);
  return all.every((each) => counts(each, path).every((other) => other === count || each.kind === 'constructor') && !isGivenAway(each, path));
}

/** Its address or a reference to it goes to somebody. */
function isGivenAway(fn: FunctionFacts, path: Path): boolean {
  return fn.calls.some((call) => !call.api && call.args.some((arg) => samePath(addressOf(arg), path)));
}

function linear(file: FileFacts, at: Event, value: Expr, depth = 5): Linear | undefined {
  const known = depth > 0 ? valueAt(at, stripCasts(value)) : undefined;
  if (!known || known === 'zero') return known === 'zero' ? constant(0) : undefined;
  const bare = stripCasts(known);
  if (bare.kind === 'number') return constant(bare.value);
  if (bare.kind === 'path') return { key: pathKey(bare.path), path: bare.path, factor: 1, offset: 0 };
  if (bare.kind !== 'binary') return undefined;
  const [left, right] = [linear(file, at, bare.left, depth - 1), linear(file, at, bare.right, depth - 1)];
  return left && right ? combine(bare.op, left, right) : undefined;
}

function constant(offset: number): Linear {
  return { key: undefined, path: undefined, factor: 0, offset };
}

function combine(op: string, left: Linear, right: Linear): Linear | undefined {
  if (op === '*') {
    const [number, other] = left.key === undefined ? [left.offset, right] : [right.offset, left];
    return left.key !== undefined && right.key !== undefined ? undefined : { ...other, factor: other.factor * number, offset: other.offset * number };
  }
  if (op === '<<' && right.key === undefined) return combine('*', left, constant(2 ** right.offset));
  if ((op !== '+' && op !== '-') || (left.key !== undefined && right.key !== undefined) || (op === '-' && right.key !== undefined)) return undefined;
  const [counted, number] = left.key === undefined ? [right, left.offset] : [left, right.offset];
  return { ...counted, offset: counted.offset + (op === '-' ? -number : number) };
}
