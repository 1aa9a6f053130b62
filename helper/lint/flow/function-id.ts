import type { FunctionFacts } from '../facts/index';

const ids = new WeakMap<FunctionFacts, number>();
let last = 0;

/** A number for a function, for names of what belongs to it: unlike its place it stays when the function moves. */
export function functionId(fn: FunctionFacts): number {
  let known = ids.get(fn);
  if (known === undefined) {
    known = ++last;
    ids.set(fn, known);
  }
  return known;
}
