// Questions about a function and what it calls.
import type { FileFacts, FunctionFacts } from '../facts/index';
import { functionQuery } from '../memo/query';

export type Asks<T> = (file: FileFacts, fn: FunctionFacts) => T;

/**
 * Asks about a function, and about what it calls to a depth. The answers of each depth are kept: functions that call each other are asked
 * about on more ways than can be walked. `make` gets what to ask about callees, or undefined at the last of them.
 */
export function throughCalls<T>(depth: number, make: (ofCallee: Asks<T> | undefined) => Asks<T>): Asks<T> {
  let asks = functionQuery(make(undefined));
  for (let i = 0; i < depth; i++) asks = functionQuery(make(asks));
  return asks;
}
