// Which branch leads to an event.
import type { Block, Call, Event, Expr, FunctionFacts } from '../facts/index';
import { samePath, walk } from '../facts/paths';
import { evaluate, truth } from './evaluate';
import type { State } from './state';

/** True when every way to `event` takes one certain side of a branch that tests nothing but the outcome of `call`. */
export function isDecidedBy(event: Event, call: Call): boolean {
  const { fn } = event;
  if (call.fn !== fn) return false;
  const seen = new Set<number>();
  for (let block = event.block; !seen.has(block); ) {
    seen.add(block);
    const ways = waysTo(fn, block);
    if (ways.length !== 1) return false;
    const { from, when } = ways[0]!;
    const test = from.events.at(-1);
    if (when !== undefined && test?.kind === 'test' && asksFor(test.expr, call)) return true;
    if (from.id === call.block) return false;
    block = from.id;
  }
  return false;
}

/** No way leads to `event` in which the tests come out as this state says. */
export function isRuledOut({ fn, block }: Event, state: State): boolean {
  const seen = new Set([fn.entry]);
  for (const id of seen) {
    const { edges, events } = fn.blocks[id]!;
    const last = events.at(-1);
    const known = last?.kind === 'test' ? truth(evaluate(last.expr, state)) : undefined;
    for (const { to, when } of edges) if (known === undefined || when === undefined || when === known) seen.add(to);
  }
  return !seen.has(block);
}

function waysTo(fn: FunctionFacts, block: number): { readonly from: Block; readonly when: boolean | undefined }[] {
  return fn.blocks.flatMap((from) =>
    from.edges.filter((edge) => edge.to === block && edge.kind !== 'maybe').map((edge) => ({ from, when: edge.when })),
  );
}

function asksFor(test: Expr, call: Call): boolean {
  for (const inner of walk(test)) {
    if (inner === call) return true;
    if (inner.kind === 'path' && samePath(inner.path, call.result)) return true;
  }
  return false;
}
