// What a path rule gives to the simulation.
import type { Call, Event, FileFacts, FunctionFacts, Path } from '../facts/index';
import type { State, Tracked } from './state';
import type { Outcome } from './summary';

/** A violation as a machine finds it. `trace` are the earlier places of the witness, oldest first. */
export interface Violation {
  readonly kind: string;
  readonly at: Event;
  readonly trace: readonly { readonly at: Event; readonly state: string }[];
  readonly object: Tracked;
}

export interface Machine {
  readonly name: string;
  /** Calls without which a function, its callees included, is not worth a simulation. Optional: without it every function is simulated. */
  concerns?(call: Call): boolean;
  /**
   * The states after a call that the machine knows, or undefined to leave it to the engine (summaries of functions in the file, out
   * parameters, escape into unknown callees). Change only clones of `state`.
   */
  call(call: Call, state: State, report: (violation: Violation) => void, file: FileFacts): State[] | undefined;
  /** A callee of the file brings an object from one state to another. */
  moved?(before: Tracked, to: string, at: Call, report: (violation: Violation) => void): void;
  /** The function is left in this state. `how`: by return, or by an exception. */
  leave?(state: State, how: 'return' | 'throw', fn: FunctionFacts, report: (violation: Violation) => void, file: FileFacts): void;
  /** Begin to track the unknown thing at `source` because it is copied to `target`; gives its first state. */
  track?(target: Path, source: Path): string | undefined;
  /** Nothing names the object any more. */
  lost?(object: Tracked, at: Event, report: (violation: Violation) => void): void;
  /**
   * What callers in other files are told of a function, where that is no matter of objects in parameters, results and fields. The machine
   * reads it itself, with `file.effectsElsewhere`.
   */
  tellOthers?(file: FileFacts, fn: FunctionFacts): readonly Outcome[] | undefined;
  /** States in which an object counts as untouched; others are effects that a caller is told about. */
  readonly neutral: ReadonlySet<string>;
}

/** The violation of `object` at an event, with the way there as trace. */
export function violation(kind: string, object: Tracked, at: Event): Violation {
  return { kind, at, object, trace: object.history };
}
