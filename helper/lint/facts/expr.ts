import type { Call } from './events';
import type { FunctionFacts, Variable } from './functions';

/** Offsets into the linted text in UTF-16 code units, end exclusive. Rules pass spans on and never compute with them. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * An access path such as `buf->handle.fd`. `x->y`, `x.y` and `(*x).y` are the same path. Steps are `.name`, `[text of the index]` and `*`.
 * The root of a field reached implicitly (`fd_` inside a method) is `this`; Python's `self` is `this` too.
 */
export interface Path {
  readonly root: string;
  readonly kind: 'local' | 'param' | 'this' | 'captured' | 'global';
  readonly steps: readonly string[];
  /** C family: what the root means where the path is written; blocks beside each other may declare one name twice. No part of equality. */
  readonly declared?: Variable;
}

interface Node {
  readonly span: Span;
}

export interface PathExpr extends Node {
  readonly kind: 'path';
  readonly path: Path;
}
export interface NumberExpr extends Node {
  readonly kind: 'number';
  readonly value: number;
}
export interface StringExpr extends Node {
  readonly kind: 'string';
  readonly value: string;
  /** Interpolated expressions of a Python f-string. */
  readonly parts: readonly Expr[];
}
/** `nullptr`, `NULL`, `nil`, `None`. */
export interface NullExpr extends Node {
  readonly kind: 'null';
}
export interface BoolExpr extends Node {
  readonly kind: 'bool';
  readonly value: boolean;
}
/** `!`, `-`, `~`, `&` (address of) and `*` where it is not part of a path. */
export interface UnaryExpr extends Node {
  readonly kind: 'unary';
  readonly op: string;
  readonly operand: Expr;
}
/** Python's `and`, `or`, `is`, `is not` arrive as `&&`, `||`, `==`, `!=`. */
export interface BinaryExpr extends Node {
  readonly kind: 'binary';
  readonly op: string;
  readonly left: Expr;
  readonly right: Expr;
}
export interface ConditionalExpr extends Node {
  readonly kind: 'conditional';
  readonly test: Expr;
  readonly yes: Expr;
  readonly no: Expr;
}
export interface CastExpr extends Node {
  readonly kind: 'cast';
  readonly type: string;
  readonly operand: Expr;
}
/** A brace list, a Python tuple, list or dictionary. `field` is the designator (`handle.fd`) or the dictionary's key. */
export interface InitExpr extends Node {
  readonly kind: 'init';
  readonly type: string | undefined;
  readonly entries: readonly { readonly field: string | undefined; readonly value: Expr }[];
}
export interface LambdaExpr extends Node {
  readonly kind: 'lambda';
  readonly fn: FunctionFacts;
}
/** A member of something that is not a path: `f().x`. */
export interface MemberExpr extends Node {
  readonly kind: 'member';
  readonly object: Expr;
  readonly name: string;
}
/** Whatever has no kind of its own (comprehension, subscript of a call, ...). */
export interface OtherExpr extends Node {
  readonly kind: 'other';
  readonly operands: readonly Expr[];
}
/** The test that a check macro makes: true when the status or condition `of` means success. */
export interface SuccessExpr extends Node {
  readonly kind: 'success';
  readonly of: Expr;
}

export type Expr =
  | PathExpr
  | NumberExpr
  | StringExpr
  | NullExpr
  | BoolExpr
  | UnaryExpr
  | BinaryExpr
  | ConditionalExpr
  | CastExpr
  | InitExpr
  | LambdaExpr
  | MemberExpr
  | OtherExpr
  | SuccessExpr
  | Call;
