import type { ApiBinding } from '../knowledge/types';
import type { Expr, Path, Span } from './expr';
import type { FunctionFacts, Variable } from './functions';

interface EventBase {
  /** Increases in evaluation order of the source. */
  readonly id: number;
  readonly span: Span;
  readonly fn: FunctionFacts;
  /** Where the event lies in the control flow: `fn.blocks[block].events[index]`. */
  block: number;
  index: number;
}

/** What a check macro or checking function does when the call inside it fails. `unknown` means that nothing may be concluded. */
export type Consequence = 'abort' | 'throw' | 'return' | 'goto' | 'log' | 'unknown';

/**
 * A call, a kernel launch, a construction (`T x(a)`, `new T(a)`), `delete p` (name `delete`) or Python's `del` (name `del`).
 * A call is an expression and an event at once: the event comes before the event that uses its value.
 */
export interface Call extends EventBase {
  readonly kind: 'call';
  /** Last component of the callee: `GetMemoryFdKHR` of `vk->GetMemoryFdKHR(...)`. */
  readonly name: string;
  /** The callee as written, Python import aliases resolved: `torch.cuda.Event`. */
  readonly callee: string;
  /** The object of a method call or dispatch-table call. */
  readonly receiver: Expr | undefined;
  readonly args: readonly Expr[];
  readonly keywords: ReadonlyMap<string, Expr>;
  /** Arguments between `<<<` and `>>>`: grid, block, shared memory, stream. */
  readonly launch: readonly Expr[] | undefined;
  readonly form: 'call' | 'construct' | 'new' | 'delete';
  /** Where the value goes when it is assigned at once: `r` of `r = f()`. */
  result: Path | undefined;
  use: 'ignored' | 'assigned' | 'tested' | 'returned' | 'operand';
  /** The check around the call, `CHECK(f())`. */
  check: { readonly name: string; readonly consequence: Consequence } | undefined;
  /** What the API tables know about it. */
  readonly api: ApiBinding | undefined;
}

/** `target op value`. A declaration without initialiser has no value; constructor member initialisers are assignments to `this.field`. */
export interface Assign extends EventBase {
  readonly kind: 'assign';
  readonly target: Expr;
  /** `=`, `+=`, `++`, `--`, ... */
  readonly op: string;
  readonly value: Expr | undefined;
  readonly declares: Variable | undefined;
}

/** A branch condition (one atom: `&&`, `||` and `!` are branches of their own). */
export interface Test extends EventBase {
  readonly kind: 'test';
  readonly expr: Expr;
  /** The left of `&&`, `||` or `?` inside a value: both ways meet again before the value is used. */
  readonly joins?: true;
}
export interface Return extends EventBase {
  readonly kind: 'return';
  readonly value: Expr | undefined;
}
export interface Throw extends EventBase {
  readonly kind: 'throw';
  readonly value: Expr | undefined;
}
/** An expression evaluated for its own sake that is neither call nor assignment. */
export interface Access extends EventBase {
  readonly kind: 'access';
  readonly expr: Expr;
}
/** Locals that die here, in order of destruction; `context` is set at the end of a Python `with`. */
export interface ScopeEnd extends EventBase {
  readonly kind: 'scopeEnd';
  readonly variables: readonly Variable[];
  readonly context: Expr | undefined;
}
/** Entry of a Python `with item as target`. */
export interface ScopeBegin extends EventBase {
  readonly kind: 'scopeBegin';
  readonly context: Expr;
  readonly target: Expr | undefined;
}
/** Variables that a lambda or nested function captured: `paths` by reference, `copies` by value. */
export interface Escape extends EventBase {
  readonly kind: 'escape';
  readonly paths: readonly Path[];
  readonly copies: readonly Path[];
}

export type Event = Call | Assign | Test | Return | Throw | Access | ScopeEnd | ScopeBegin | Escape;
