import type { Block, Call, Event, FunctionFacts, FunctionKind, Span, Variable } from '../facts/index';
import { noteBody } from '../memo/reads';

export interface Head {
  readonly name: string;
  readonly qualifiedName: string;
  readonly className: string | undefined;
  readonly kind: FunctionKind;
  readonly params: readonly Variable[];
  readonly returnType: string;
  readonly attributes: readonly string[];
  readonly span: Span;
  readonly nameSpan: Span;
  readonly parent: FunctionFacts | undefined;
  readonly capturesByValue: ReadonlySet<string>;
}

export interface Body {
  readonly locals: readonly Variable[];
  readonly blocks: readonly Block[];
  readonly entry: number;
  readonly exit: number;
  readonly throwExit: number;
  readonly events: readonly Event[];
  readonly degraded: FunctionFacts['degraded'];
}

/** The facts of one function: the head at once, the body when first asked for. */
export class LoweredFunction implements FunctionFacts {
  readonly name: string;
  readonly qualifiedName: string;
  readonly className: string | undefined;
  readonly kind: FunctionKind;
  readonly params: readonly Variable[];
  readonly returnType: string;
  readonly attributes: readonly string[];
  readonly span: Span;
  readonly nameSpan: Span;
  parent: FunctionFacts | undefined;
  readonly capturesByValue: ReadonlySet<string>;
  #lower: ((fn: LoweredFunction) => Body) | undefined;
  #body: Body | undefined;
  #calls: readonly Call[] | undefined;

  constructor(head: Head, lower: (fn: LoweredFunction) => Body) {
    this.#lower = lower;
    this.name = head.name;
    this.qualifiedName = head.qualifiedName;
    this.className = head.className;
    this.kind = head.kind;
    this.params = head.params;
    this.returnType = head.returnType;
    this.attributes = head.attributes;
    this.span = head.span;
    this.nameSpan = head.nameSpan;
    this.parent = head.parent;
    this.capturesByValue = head.capturesByValue;
  }

  get body(): Body {
    noteBody(this);
    if (!this.#body) {
      this.#body = this.#lower!(this);
      // What lowers knows the whole file in this version.
      this.#lower = undefined;
    }
    return this.#body;
  }
  get locals() {
    return this.body.locals;
  }
  get blocks() {
    return this.body.blocks;
  }
  get entry() {
    return this.body.entry;
  }
  get exit() {
    return this.body.exit;
  }
  get throwExit() {
    return this.body.throwExit;
  }
  get events() {
    return this.body.events;
  }
  get degraded() {
    return this.body.degraded;
  }
  get calls(): readonly Call[] {
    this.#calls ??= this.events.filter((event) => event.kind === 'call');
    return this.#calls;
  }
}
