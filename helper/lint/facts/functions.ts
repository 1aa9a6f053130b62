import type { Call, Event } from './events';
import type { Expr, Span } from './expr';

export interface Variable {
  readonly name: string;
  /** The declared type as written, blanks normalised: `const VkImage *`. Empty in Python without annotation. */
  readonly type: string;
  readonly kind: 'local' | 'param' | 'global' | 'field';
  readonly span: Span;
  readonly isStatic: boolean;
  /** C++: one for each thread, `thread_local`. */
  readonly isThreadLocal?: boolean;
  /** Initialiser of a field or global, default of a parameter. */
  readonly init: Expr | undefined;
}

export interface Edge {
  readonly to: number;
  /** Taken when the block's last event, a test, evaluates to this. */
  readonly when: boolean | undefined;
  /** `maybe`: an exception that some call could raise; the simulation ignores such edges. */
  readonly kind: 'flow' | 'throw' | 'maybe';
}

export interface Block {
  readonly id: number;
  readonly events: Event[];
  readonly edges: Edge[];
}

export type FunctionKind = 'function' | 'method' | 'constructor' | 'destructor' | 'lambda' | 'module';

/** One function, method, lambda, or the top level of a Python module. Its body is lowered when first asked for. */
export interface FunctionFacts {
  readonly name: string;
  /** `Class::name` where the class is known. */
  readonly qualifiedName: string;
  readonly className: string | undefined;
  readonly kind: FunctionKind;
  readonly params: readonly Variable[];
  readonly returnType: string;
  /** `static`, `__global__`, `extern`, Python decorators as written; `template` and `unnamed namespace` for what is around a C++ function. */
  readonly attributes: readonly string[];
  readonly span: Span;
  readonly nameSpan: Span;
  /** The function that a lambda or nested function is written in. */
  readonly parent: FunctionFacts | undefined;
  /** Names that a lambda captures by value, `this` included; everything else it uses from outside is by reference. */
  readonly capturesByValue: ReadonlySet<string>;
  readonly locals: readonly Variable[];
  readonly blocks: readonly Block[];
  readonly entry: number;
  /** Normal returns end here. */
  readonly exit: number;
  /** Exceptions that leave the function end here. */
  readonly throwExit: number;
  /** All events in source order. */
  readonly events: readonly Event[];
  readonly calls: readonly Call[];
  /** Why path rules must not trust the body: `syntax` (parse error inside), `setjmp`, `size` (too many branches), `depth` (nested too deeply). */
  readonly degraded: 'syntax' | 'setjmp' | 'size' | 'depth' | undefined;
}
