// Functions that were left out because they need more work than one function may cost. Giving up is silent for rules, not for people.
import type { FileFacts, FunctionFacts } from '../facts/index';
import { functionsWhere } from '../memo/table';
import { mayTouchSeam } from '../text/prefilter';
import { namesSeam } from '../text/seam-names';

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

export const doesNotParse = {
  c: 'it does not parse: look for a bracket that is missing, or a macro that hides one',
  python: 'it does not parse: look for a bracket or a colon that is missing',
} as const;

const reasons = {
  size: 'it has too many branches: split it',
  depth: 'it is nested too deeply: split it',
  states: 'it has too many branches and states to follow: split it',
} as const;

const degradedIn = functionsWhere((_file, fn) => fn.degraded !== undefined);

/** In order of the source. To be asked after the rules have run. */
export function skippedFunctions(file: FileFacts): SkippedFunction[] {
  const states = givenUp.get(file);
  const left = new Set([...degradedIn(file), ...(states ?? [])]);
  if (left.size === 0) return [];
  return file.functions.flatMap((fn) => {
    const why = left.has(fn) ? causeOf(file, fn, states) : undefined;
    const reason = why === 'syntax' ? doesNotParse[file.language === 'python' ? 'python' : 'c'] : why && reasons[why];
    return reason ? [{ name: fn.qualifiedName, fn, reason }] : [];
  });
}

function causeOf(file: FileFacts, fn: FunctionFacts, states: ReadonlySet<FunctionFacts> | undefined): keyof typeof reasons | 'syntax' | undefined {
  if (fn.degraded === 'size' || fn.degraded === 'depth') return fn.degraded;
  // Macros upset many a function; nobody misses one that names nothing of the seam.
  if (fn.degraded === 'syntax') return concernsSeam(file, fn) ? 'syntax' : undefined;
  return !fn.degraded && states?.has(fn) ? 'states' : undefined;
}

/** Whole statements may be missing, calls and all. What a lambda lacks, its function lacks too. */
function concernsSeam(file: FileFacts, fn: FunctionFacts): boolean {
  if (fn.calls.some(({ api }) => api !== undefined)) return true;
  if (fn.kind === 'module' || fn.kind === 'lambda') return false;
  if (file.language === 'python') return mayTouchSeam(file.source(fn.span));
  return namesSeam(file.source({ start: fn.nameSpan.end, end: fn.span.end }));
}
