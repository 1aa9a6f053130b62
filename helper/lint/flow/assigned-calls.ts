// What the calls of a body are assigned to. Kept by the list of events, which is another one when the body changes.
import type { Call, FunctionFacts } from '../facts/index';
import { pathKey, pathOf, stripCasts } from '../facts/paths';

const made = new WeakMap<FunctionFacts['events'], ReadonlyMap<string, readonly Call[]>>();

/** The calls whose results are assigned, by what they are assigned to. */
export function callsAssigned(events: FunctionFacts['events']): ReadonlyMap<string, readonly Call[]> {
  const known = made.get(events);
  if (known) return known;
  const found = new Map<string, Call[]>();
  for (const event of events) {
    const value = event.kind === 'assign' && event.value ? stripCasts(event.value) : undefined;
    const path = event.kind === 'assign' && value?.kind === 'call' ? pathOf(event.target) : undefined;
    if (!path || value?.kind !== 'call') continue;
    const calls = found.get(pathKey(path));
    if (calls) calls.push(value);
    else found.set(pathKey(path), [value]);
  }
  made.set(events, found);
  return found;
}
