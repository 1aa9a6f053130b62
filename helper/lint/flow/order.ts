// Questions of order inside one function: dominance, and paths that avoid something.
import type { Event, FunctionFacts } from '../facts/index';

type Bits = Uint8Array;

interface Dominators {
  /** `dom[b][a]` is 1 when block a dominates block b. */
  readonly dom: readonly Bits[];
  readonly postDom: readonly Bits[];
}

const cache = new WeakMap<FunctionFacts, Dominators>();

/** True when every path from the entry to `b` passes `a`. */
export function dominates(a: Event, b: Event): boolean {
  if (a.fn !== b.fn) return false;
  if (a.block === b.block) return a.index < b.index;
  return dominators(a.fn).dom[b.block]![a.block] === 1;
}

/** True when every path from `a` to a return passes `b`. Exceptions and aborts are no returns. */
export function postDominates(b: Event, a: Event): boolean {
  if (a.fn !== b.fn) return false;
  if (a.block === b.block) return a.index < b.index;
  return dominators(a.fn).postDom[a.block]![b.block] === 1;
}

function dominators(fn: FunctionFacts): Dominators {
  let known = cache.get(fn);
  if (!known) {
    const next = fn.blocks.map((block) => block.edges.filter((edge) => edge.kind !== 'maybe').map((edge) => edge.to));
    const previous = fn.blocks.map((): number[] => []);
    for (const [from, targets] of next.entries()) for (const to of targets) previous[to]!.push(from);
    known = { dom: solve(fn.entry, previous, next), postDom: solve(fn.exit, next, previous) };
    cache.set(fn, known);
  }
  return known;
}

/** Iterative dominators. Blocks that nothing reaches are dominated by nothing but themselves. */
function solve(root: number, previous: number[][], next: number[][]): Bits[] {
  const size = previous.length;
  const reachable = reach(root, next);
  const dom = previous.map((_, block) => {
    const bits = new Uint8Array(size);
    if (block !== root && reachable.has(block)) bits.fill(1);
    bits[block] = 1;
    return bits;
  });
  const order = [...reachable];
  for (let changed = true; changed; ) {
    changed = false;
    for (const block of order)
      if (
        block !== root &&
        meet(
          dom,
          block,
          previous[block]!.filter((from) => reachable.has(from)),
        )
      )
        changed = true;
  }
  return dom;
}

function meet(dom: Bits[], block: number, from: number[]): boolean {
  const bits = dom[block]!;
  let changed = false;
  for (let i = 0; i < bits.length; i++) {
    if (bits[i] === 1 && i !== block && !from.every((each) => dom[each]![i] === 1)) {
      bits[i] = 0;
      changed = true;
    }
  }
  return changed;
}

/** Blocks reachable from a block, in breadth-first order. */
function reach(root: number, next: number[][]): Set<number> {
  const seen = new Set([root]);
  for (const block of seen) for (const to of next[block]!) seen.add(to);
  return seen;
}

export interface PathQuery {
  /** Such an event ends the path: nothing behind it counts. */
  readonly blocked?: (event: Event) => boolean;
  /** Also follow exceptions that any call in a `try` might raise. */
  readonly throughMaybe?: boolean;
}

/**
 * The events that a path can reach after `from` without passing a blocked event, in breadth-first order. Branch conditions are not
 * evaluated: where correlated branches matter, use the simulation.
 */
export function* eventsAfter(from: Event, query: PathQuery = {}): Generator<Event> {
  const { blocks } = from.fn;
  const seen = new Set<number>();
  const queue: { block: number; index: number }[] = [{ block: from.block, index: from.index + 1 }];
  for (const start of queue) {
    const block = blocks[start.block]!;
    let stopped = false;
    for (const event of block.events.slice(start.index)) {
      yield event;
      stopped = query.blocked?.(event) ?? false;
      if (stopped) break;
    }
    if (stopped) continue;
    for (const edge of block.edges) {
      if ((edge.kind === 'maybe' && !query.throughMaybe) || seen.has(edge.to)) continue;
      seen.add(edge.to);
      queue.push({ block: edge.to, index: 0 });
    }
  }
}

/** Can control get from `from` to `to` without passing a blocked event? */
export function reachesWithout(from: Event, to: Event, blocked: (event: Event) => boolean): boolean {
  for (const event of eventsAfter(from, { blocked: (each) => each !== to && blocked(each) })) if (event === to) return true;
  return false;
}

/** Can the function return after `from` without passing a blocked event? */
export function returnsWithout(from: Event, blocked: (event: Event) => boolean): boolean {
  const { blocks, exit } = from.fn;
  const seen = new Set<number>();
  const queue = [{ block: from.block, index: from.index + 1 }];
  for (const at of queue) {
    if (at.block === exit) return true;
    const block = blocks[at.block]!;
    if (block.events.slice(at.index).some(blocked)) continue;
    for (const edge of block.edges) {
      if (edge.kind === 'maybe' || seen.has(edge.to)) continue;
      seen.add(edge.to);
      queue.push({ block: edge.to, index: 0 });
    }
  }
  return false;
}

/** True when the event lies in a cycle of the control flow. */
export function inLoop(event: Event): boolean {
  return reachesWithout(event, event, () => false);
}
