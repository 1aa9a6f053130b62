// Functions that were left out because they need more work than one function may cost. Giving up is silent for rules, not for people.
import type { FileFacts, FunctionFacts } from '../facts/index';
import { functionsWhere } from '../memo/table';

export interface SkippedFunction {
  readonly name: string;
  readonly fn: FunctionFacts;
  readonly reason: string;
}

const givenUp = new WeakMap<FileFacts, Set<FunctionFacts>>();

export function noteGivenUp(file: FileFacts, fn: FunctionFacts): void {
  const known = givenUp.get(file);
  if (known) known.add(fn);
  else givenUp.set(file, new Set([fn]));
}

const reasons = {
  size: 'it has too many branches: split it',
  depth: 'it is nested too deeply: split it',
  states: 'it has too many branches and states to follow: split it',
  syntax: 'it does not parse: look for a bracket that is missing, or a macro that hides one',
} as const;

const degradedIn = functionsWhere((_file, fn) => fn.degraded !== undefined);

/** In order of the source. To be asked after the rules have run. */
export function skippedFunctions(file: FileFacts): SkippedFunction[] {
  const states = givenUp.get(file);
  const left = new Set([...degradedIn(file), ...(states ?? [])]);
  if (left.size === 0) return [];
  return file.functions.flatMap((fn) => {
    const why = left.has(fn) ? causeOf(fn, states) : undefined;
    return why ? [{ name: fn.qualifiedName, fn, reason: reasons[why] }] : [];
  });
}

function causeOf(fn: FunctionFacts, states: ReadonlySet<FunctionFacts> | undefined): keyof typeof reasons | undefined {
  if (fn.degraded === 'size' || fn.degraded === 'depth') return fn.degraded;
  // Macros upset many a function; nobody misses one that names nothing of the seam.
  if (fn.degraded === 'syntax') return fn.calls.some(({ api }) => api !== undefined) ? 'syntax' : undefined;
  return !fn.degraded && states?.has(fn) ? 'states' : undefined;
}
