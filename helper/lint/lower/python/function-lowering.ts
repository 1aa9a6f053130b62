// The state of lowering one Python function; hands nodes to the expression and statement visitors.
import type { Call, Expr, FunctionKind, LambdaExpr, Path, Span, Variable } from '../../facts/index';
import { contains, field, isTooDeep, type Node, named } from '../../syntax/node';
import { BodyBuilder } from '../body-builder';
import { type FileContext, spanNear, spanOf } from '../context';
import { type Body, LoweredFunction } from '../function';
import { lowerExpression, noteResult } from './expressions';
import { lowerStatement } from './statements';

export class PyFunction {
  readonly body: BodyBuilder;
  readonly locals = new Map<string, Variable>();
  readonly #params: Map<string, Variable>;
  readonly captured = new Set<string>();
  readonly #self: string | undefined;

  constructor(
    readonly context: FileContext,
    readonly facts: LoweredFunction,
    private readonly bodyNode: Node,
    private readonly outer: PyFunction | undefined,
    /** Before the body stands something that does not parse: its beginning, most of the time. */
    private readonly isCut = false,
  ) {
    this.body = new BodyBuilder(facts, context.nextId);
    this.#params = new Map(facts.params.map((param) => [param.name, param]));
    this.#self =
      facts.className && facts.kind !== 'lambda' && !facts.attributes.some((word) => word === '@staticmethod') ? facts.params[0]?.name : undefined;
    for (const name of assignedNames(context, bodyNode)) if (!this.#params.has(name)) this.#local(name, spanOf(bodyNode), '');
  }

  get className(): string | undefined {
    return this.facts.className;
  }

  #local(name: string, span: Span, type: string): Variable {
    const variable: Variable = { name, type, kind: 'local', span, isStatic: false, init: undefined };
    this.locals.set(name, variable);
    return variable;
  }

  binds(name: string): boolean {
    return this.facts.kind !== 'module' && (this.locals.has(name) || this.#params.has(name) || (this.outer?.binds(name) ?? false));
  }

  resolve(name: string): Path {
    if (name === this.#self) return { root: 'this', kind: 'this', steps: [] };
    if (this.#params.has(name)) return { root: name, kind: 'param', steps: [] };
    if (this.facts.kind === 'module') return { root: name, kind: 'global', steps: [] };
    if (this.locals.has(name)) return { root: name, kind: 'local', steps: [] };
    if (this.outer?.isSelf(name)) return { root: 'this', kind: 'this', steps: [] };
    if (this.outer?.binds(name)) {
      this.captured.add(name);
      return { root: name, kind: 'captured', steps: [] };
    }
    return { root: name, kind: 'global', steps: [] };
  }

  isSelf(name: string): boolean {
    return name === this.#self || (this.outer?.isSelf(name) ?? false);
  }

  /** The callee with an import alias at its head resolved: `t.cuda.Event` to `torch.cuda.Event`. */
  dotted(written: string): string {
    const head = written.split('.')[0]!;
    const origin = this.binds(head) ? undefined : this.context.importOf(head);
    return origin ? origin + written.slice(head.length) : written;
  }

  expr(node: Node | undefined): Expr {
    if (!node) return { kind: 'other', operands: [], span: { start: 0, end: 0 } };
    return lowerExpression(this, node);
  }

  evaluate(node: Node): void {
    const before = this.body.events.length;
    const expr = this.expr(node);
    if (expr.kind === 'call') expr.use = expr.use === 'operand' ? 'ignored' : expr.use;
    else if (this.body.events.length === before) this.body.emit({ kind: 'access', expr, span: spanOf(node) });
  }

  condition(node: Node | undefined, yes: number, no: number): void {
    if (node?.type === 'parenthesized_expression') {
      this.condition(named(node)[0], yes, no);
      return;
    }
    if (node?.type === 'not_operator') {
      this.condition(field(node, 'argument'), no, yes);
      return;
    }
    if (node?.type === 'boolean_operator') {
      const and = this.context.textOf(field(node, 'operator')!) === 'and';
      const next = this.body.newBlock();
      this.condition(field(node, 'left'), and ? next : yes, and ? no : next);
      this.body.startAt(next);
      this.condition(field(node, 'right'), yes, no);
      return;
    }
    const expr = this.expr(node);
    if (expr.kind === 'call') expr.use = 'tested';
    this.body.branch(expr, yes, no);
  }

  statement(node: Node): void {
    lowerStatement(this, node);
  }
  statements(nodes: readonly Node[]): void {
    for (const node of nodes) this.statement(node);
  }

  /** Assigns to a name, attribute or pattern; patterns become one assignment per part. */
  assign(left: Node, op: string, value: Expr | undefined, node: Node, type = ''): Expr {
    const target = this.expr(left);
    if (target.kind === 'init' && value) {
      this.#unpack(target.entries, value, node);
      return target;
    }
    noteResult(value, target);
    const name = left.type === 'identifier' && this.facts.kind !== 'module' ? this.context.textOf(left) : undefined;
    const declares = name !== undefined && !this.#params.has(name) ? this.#local(name, spanOf(left), type) : undefined;
    this.body.emit({ kind: 'assign', target, op, value, declares, span: spanOf(node) });
    return target;
  }

  #unpack(targets: readonly { value: Expr }[], value: Expr, node: Node): void {
    for (const [i, each] of targets.entries()) {
      const part: Expr = value.kind === 'init' && value.entries[i] ? value.entries[i].value : { kind: 'other', operands: [value], span: value.span };
      this.body.emit({ kind: 'assign', target: each.value, op: '=', value: part, declares: undefined, span: spanOf(node) });
    }
  }

  emitDelete(args: Expr[], span: Span): void {
    const shape = { name: 'del', callee: 'del', receiver: undefined, args, keywords: new Map<string, Expr>(), launch: undefined };
    this.body.emit<Call>({ ...shape, kind: 'call', form: 'delete', result: undefined, use: 'ignored', check: undefined, api: undefined, span });
  }

  /** A nested `def`. */
  define(node: Node, attributes: readonly string[]): void {
    const name = this.context.textOf(field(node, 'name')!);
    const value = this.nested(node, 'function', name, attributes);
    if (this.facts.kind === 'module') return;
    const variable = this.#local(name, spanOf(field(node, 'name')!), '');
    const target: Expr = { kind: 'path', path: this.resolve(name), span: variable.span };
    this.body.emit({ kind: 'assign', target, op: '=', value, declares: variable, span: variable.span });
  }

  nested(node: Node, kind: FunctionKind, name = `lambda in ${this.facts.name}`, attributes: readonly string[] = []): LambdaExpr {
    const { fn, captured } = defineFunction(this.context, node, { kind, name, attributes, parent: this });
    const paths = [...captured].map((each) => this.resolve(each));
    if (paths.length > 0) this.body.emit({ kind: 'escape', paths, copies: [], span: spanOf(node) });
    return { kind: 'lambda', fn, span: spanOf(node) };
  }

  finish(): Body {
    if (/lambda/.test(this.facts.kind) && this.bodyNode.type !== 'block') {
      const value = this.expr(this.bodyNode);
      this.body.emit({ kind: 'return', value, span: spanOf(this.bodyNode) });
    } else this.statement(this.bodyNode);
    this.body.leave(spanNear(this.bodyNode, this.bodyNode.end, this.bodyNode.end));
    const { blocks, entry, exit, throwExit, events, tooLarge } = this.body;
    const broken = this.bodyNode.broken && isTooDeep(this.bodyNode) ? 'depth' : this.bodyNode.broken || this.isCut ? 'syntax' : undefined;
    const degraded = tooLarge ? 'size' : broken;
    return { locals: [...this.locals.values()], blocks, entry, exit, throwExit, events, degraded };
  }
}

interface Owner {
  readonly kind: FunctionKind;
  readonly name: string;
  readonly attributes: readonly string[];
  readonly parent?: PyFunction;
  readonly className?: string;
}

interface Defined {
  readonly fn: LoweredFunction;
  /** Names of the enclosing function that it uses. */
  readonly captured: ReadonlySet<string>;
}

/** Lowers a function with its body. One at the top of the module or of a class is remembered over versions of the text. */
export function defineFunction(context: FileContext, node: Node, owner: Owner): Defined {
  const { kind, name, parent } = owner;
  if (kind === 'module' || (parent && parent.facts.kind !== 'module')) return lowerFunction(context, node, owner);
  const defined = context.remembered(node, `${kind} ${name} of ${owner.className} ${owner.attributes.join()}`, () =>
    lowerFunction(context, node, owner),
  );
  defined.fn.parent = parent?.facts;
  return defined;
}

function lowerFunction(context: FileContext, node: Node, { kind, name, attributes, parent, ...owner }: Owner): Defined {
  const className = owner.className ?? parent?.className;
  const bodyNode = field(node, 'body') ?? node;
  const headEnd = field(node, 'parameters')?.end ?? node.end;
  const isCut = node.children.some(({ type, start }) => type === 'ERROR' && start >= headEnd && start < bodyNode.start);
  const nameNode = field(node, 'name');
  const head = {
    name,
    qualifiedName: className ? `${className}.${name}` : name,
    className,
    kind,
    params: parametersOf(context, field(node, 'parameters')),
    returnType: context.squeezed(field(node, 'return_type')),
    attributes,
    span: spanOf(node),
    nameSpan: nameNode ? spanOf(nameNode) : spanNear(node, node.start, node.start),
    parent: parent?.facts,
    capturesByValue: new Set<string>(),
  };
  let captured: ReadonlySet<string> = new Set();
  const fn = new LoweredFunction(head, (facts) => {
    const lowering = new PyFunction(context, facts, bodyNode, parent, isCut);
    const body = lowering.finish();
    captured = lowering.captured;
    return body;
  });
  context.functions.push(fn);
  void fn.body;
  return { fn, captured };
}

function parametersOf(context: FileContext, list: Node | undefined): Variable[] {
  return named(list)
    .filter((child) => child.type !== 'keyword_separator' && child.type !== 'positional_separator')
    .map((child) => {
      const nameNode = field(child, 'name') ?? (child.type === 'identifier' ? child : (named(child)[0] ?? child));
      const value = field(child, 'value');
      return {
        name: context.textOf(nameNode).replace(/^\*+/, ''),
        type: context.squeezed(field(child, 'type')),
        kind: 'param' as const,
        span: spanOf(nameNode),
        isStatic: false,
        init: value && literal(context, value),
      };
    });
}

/** A default value as far as it is a plain literal. */
function literal(context: FileContext, node: Node): Expr {
  const text = context.textOf(node);
  if (node.type === 'none') return { kind: 'null', span: spanOf(node) };
  if (node.type === 'true' || node.type === 'false') return { kind: 'bool', value: node.type === 'true', span: spanOf(node) };
  if (node.type === 'integer') return { kind: 'number', value: Number(text), span: spanOf(node) };
  return { kind: 'other', operands: [], span: spanOf(node) };
}

/** Nodes whose left side is a target; operators and comparisons have a left side too. */
const binders = /^(assignment|augmented_assignment|for_statement|for_in_clause)$/;

/** Names that a body assigns, nested functions and classes left out: Python makes them locals from the start. */
function assignedNames(context: FileContext, body: Node): Set<string> {
  const names = new Set<string>();
  const visit = (node: Node): void => {
    for (const child of node.children) {
      if (
        (child.field === 'left' && binders.test(node.type)) ||
        child.field === 'alias' ||
        (node.type === 'named_expression' && child.field === 'name')
      )
        contains(child, (inner) => {
          if (inner.type === 'identifier' && child.type !== 'attribute' && child.type !== 'subscript') names.add(context.textOf(inner));
          return false;
        });
      if (!/^(function_definition|class_definition|lambda)$/.test(child.type)) visit(child);
    }
  };
  visit(body);
  return names;
}
