// The state of lowering one C-family function; hands nodes to the expression and statement visitors.
import type { Expr, LambdaExpr, Variable } from '../../facts/index';
import { childOf, contains, field, hasToken, isTooDeep, type Node, named } from '../../syntax/node';
import { BodyBuilder } from '../body-builder';
import { type FileContext, spanNear, spanOf } from '../context';
import { type Body, type Head, LoweredFunction } from '../function';
import { construct, constructsRaii, emitCall } from './calls';
import { parametersOf } from './declarators';
import { hintedOperand, lowerExpression, noteResult } from './expressions';
import { Scopes } from './scopes';
import { lowerStatement } from './statements';

export class CFunction {
  readonly body: BodyBuilder;
  readonly scopes: Scopes;
  /** The expression that is a statement of its own: its value is not used. */
  statementNode: Node | undefined;
  /** The expression that is a whole condition. */
  conditionNode: Node | undefined;

  constructor(
    readonly context: FileContext,
    readonly facts: LoweredFunction,
    outer: Scopes | undefined,
  ) {
    this.body = new BodyBuilder(facts, context.nextId);
    const fields = facts.className ? context.fieldsOf(facts.className) : [];
    this.scopes = new Scopes(new Set(fields.map((each) => each.name)), facts.className !== undefined, outer);
    for (const param of facts.params) this.scopes.add(param);
  }

  expr(node: Node | undefined): Expr {
    if (!node) return { kind: 'other', operands: [], span: { start: 0, end: 0 } };
    return lowerExpression(this, node);
  }

  /** An expression for its effects; one without any is an access. */
  evaluate(node: Node | undefined): void {
    if (!node) return;
    this.statementNode = node;
    const before = this.body.events.length;
    const expr = this.expr(node);
    if (expr.kind === 'call') expr.use = expr.use === 'operand' ? 'ignored' : expr.use;
    else if (this.body.events.length === before) this.body.emit({ kind: 'access', expr, span: spanOf(node) });
  }

  /** Branches on an expression; `&&`, `||` and `!` become branches of their own. */
  condition(node: Node | undefined, yes: number, no: number): void {
    if (node?.type === 'parenthesized_expression' || node?.type === 'condition_clause') {
      this.condition(named(node)[0], yes, no);
      return;
    }
    const hinted = node && hintedOperand(this.context, node);
    if (hinted) {
      this.condition(hinted, yes, no);
      return;
    }
    const op = field(node, 'operator');
    const text = op && this.context.textOf(op);
    if (node?.type === 'unary_expression' && text === '!') {
      this.condition(field(node, 'argument'), no, yes);
      return;
    }
    if (node?.type === 'binary_expression' && (text === '&&' || text === '||')) {
      const next = this.body.newBlock();
      this.condition(field(node, 'left'), text === '&&' ? next : yes, text === '&&' ? no : next);
      this.body.startAt(next);
      this.condition(field(node, 'right'), yes, no);
      return;
    }
    this.conditionNode = node;
    const expr = this.expr(node);
    if (expr.kind === 'call') expr.use = 'tested';
    this.body.branch(expr, yes, no);
  }

  name(name: string, node: Node): Expr {
    return { kind: 'path', path: this.scopes.resolve(name), span: spanOf(node) };
  }

  isVariable(name: string): boolean {
    return this.scopes.binds(name) || this.scopes.resolve(name).kind === 'this';
  }

  fieldType(name: string): string | undefined {
    const { className } = this.facts;
    const own = className ? this.context.fieldsOf(className).find((each) => each.name === name) : undefined;
    return own?.type ?? this.context.typeOfGlobal(name);
  }

  statement(node: Node): void {
    lowerStatement(this, node);
  }
  statements(nodes: readonly Node[]): void {
    for (const node of nodes) this.statement(node);
  }
  /** A branch or loop body: a scope even without braces. */
  statementIn(node: Node | undefined): void {
    if (node) this.scope(node, () => this.statement(node));
  }

  scope(node: Node, run: () => void): void {
    this.scopes.push();
    this.body.scope(spanOf(node), run);
    this.scopes.pop();
  }

  declareParameters(clause: Node): void {
    for (const param of parametersOf(this.context, clause)) this.scopes.add({ ...param, kind: 'local' });
  }

  lambda(node: Node): LambdaExpr {
    const declarator = field(node, 'declarator');
    const captures = childOf(node, 'lambda_capture_specifier');
    const fn = lambdaFacts(this.context, this.facts, node, parametersOf(this.context, declarator), capturedByValue(this.context, captures));
    const inner = lowerBody(this.context, field(node, 'body') ?? node, this.scopes);
    const lowered = new LoweredFunction(fn, inner.lower);
    this.context.functions.push(lowered);
    void lowered.body;
    const captured = [...inner.captured()];
    const isCopied = (name: string) => fn.capturesByValue.has(name);
    const paths = captured.filter((name) => !isCopied(name)).map((name) => this.scopes.resolve(name));
    const copies = captured.filter(isCopied).map((name) => this.scopes.resolve(name));
    if (captured.length > 0) this.body.emit({ kind: 'escape', paths, copies, span: spanOf(node) });
    return { kind: 'lambda', fn: lowered, span: spanOf(node) };
  }

  initialiseMembers(list: Node | undefined): void {
    for (const item of named(list)) {
      const [target, ...rest] = named(item);
      if (!target) continue;
      const name = this.context.textOf(target);
      const args = rest.flatMap((child) => (child.type === 'argument_list' ? named(child) : [child])).map((child) => this.expr(child));
      if (name.replace(/<.*>$/, '') === this.facts.className) {
        emitCall(this, item, { name: this.facts.className, callee: name, receiver: undefined, args, launch: undefined, form: 'call' });
        continue;
      }
      const value = this.memberValue(item, this.fieldType(name) ?? '', args);
      const path = { root: 'this', kind: 'this' as const, steps: [`.${name}`] };
      const targetExpr: Expr = { kind: 'path', path, span: spanOf(target) };
      noteResult(value, targetExpr);
      this.body.emit({ kind: 'assign', target: targetExpr, op: '=', value, declares: undefined, span: spanOf(item) });
    }
  }

  private memberValue(item: Node, type: string, args: Expr[]): Expr {
    if (constructsRaii(type, args)) return construct(this, item, type, args);
    if (args.length === 1) return args[0]!;
    return { kind: 'init', type: undefined, entries: args.map((arg) => ({ field: undefined, value: arg })), span: spanOf(item) };
  }
}

function lambdaFacts(context: FileContext, parent: LoweredFunction, node: Node, params: Variable[], capturesByValue: Set<string>): Head {
  const span = spanOf(node);
  const name = `lambda in ${parent.name}`;
  const { className } = parent;
  return {
    name,
    qualifiedName: name,
    className,
    kind: 'lambda',
    params,
    returnType: '',
    attributes: [],
    span,
    nameSpan: spanNear(node, span.start, span.start + context.textOf(span).indexOf(']') + 1),
    parent,
    capturesByValue,
  };
}

/** `[=]` captures every name by value; it is told apart by the name `=`. */
function capturedByValue(context: FileContext, captures: Node | undefined): Set<string> {
  if (!captures) return new Set();
  const text = context.textOf(captures).slice(1, -1);
  const items = text.split(',').map((item) => item.trim());
  return new Set(items.filter((item) => item !== '' && !item.startsWith('&')).map((item) => item.split(/[\s=({]/)[0] || '='));
}

/** A function that lowers a body node, and what the body captured once that is done. */
export function lowerBody(context: FileContext, bodyNode: Node, outer: Scopes | undefined, members?: Node) {
  let scopes: Scopes | undefined;
  const lower = (facts: LoweredFunction): Body => {
    const fn = new CFunction(context, facts, outer);
    scopes = fn.scopes;
    fn.initialiseMembers(members);
    fn.statement(bodyNode);
    if (!isStatement(bodyNode)) fn.evaluate(undefined);
    fn.body.leave(spanNear(bodyNode, bodyNode.end, bodyNode.end));
    return {
      locals: fn.scopes.all,
      blocks: fn.body.blocks,
      entry: fn.body.entry,
      exit: fn.body.exit,
      throwExit: fn.body.throwExit,
      events: fn.body.events,
      degraded: degradation(context, bodyNode, fn.body),
    };
  };
  return { lower, captured: () => scopes?.captured ?? new Set<string>() };
}

function isStatement(node: Node): boolean {
  return node.type.endsWith('statement');
}

function degradation(context: FileContext, node: Node, body: BodyBuilder): Body['degraded'] {
  if (body.tooLarge) return 'size';
  if (node.broken) return isTooDeep(node) ? 'depth' : 'syntax';
  const jumps = (inner: Node) => inner.type === 'call_expression' && /^(sig)?setjmp$/.test(context.textOf(inner.children[0]!));
  return contains(node, jumps) ? 'setjmp' : undefined;
}

export function isDefaulted(node: Node): boolean {
  return node.children.some((child) => child.type === 'default_method_clause' || child.type === 'delete_method_clause') || hasToken(node, 'default');
}
