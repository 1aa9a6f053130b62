// C, C++ and CUDA expressions to facts. Events are emitted in order of evaluation on the way.
import type { Call, Expr, InitExpr } from '../../facts/index';
import { extend, pathOf } from '../../facts/paths';
import { childOf, contains, field, fields, hasToken, type Node, named } from '../../syntax/node';
import { type FileContext, spanOf } from '../context';
import { construct, constructsRaii, lowerCall, lowerDelete, lowerNew } from './calls';
import type { CFunction } from './function-lowering';

type Lower = (fn: CFunction, node: Node) => Expr;

const castNames = /^(static_cast|reinterpret_cast|const_cast|dynamic_cast|bit_cast|std::bit_cast)</;

const kinds: Record<string, Lower> = {
  identifier: (fn, node) => identifier(fn, node),
  field_identifier: (fn, node) => identifier(fn, node),
  qualified_identifier: (fn, node) => ({ kind: 'path', path: { root: fn.context.squeezed(node), kind: 'global', steps: [] }, span: spanOf(node) }),
  this: (_fn, node) => ({ kind: 'path', path: { root: 'this', kind: 'this', steps: [] }, span: spanOf(node) }),
  true: (_fn, node) => ({ kind: 'bool', value: true, span: spanOf(node) }),
  false: (_fn, node) => ({ kind: 'bool', value: false, span: spanOf(node) }),
  null: (_fn, node) => ({ kind: 'null', span: spanOf(node) }),
  nullptr: (_fn, node) => ({ kind: 'null', span: spanOf(node) }),
  number_literal: (fn, node) => ({ kind: 'number', value: numberOf(fn.context.textOf(node)), span: spanOf(node) }),
  char_literal: (fn, node) => ({ kind: 'string', value: fn.context.textOf(node).slice(1, -1), parts: [], span: spanOf(node) }),
  string_literal: (fn, node) => stringLiteral(fn, node),
  raw_string_literal: (fn, node) => stringLiteral(fn, node),
  concatenated_string: (fn, node) => stringLiteral(fn, node),
  parenthesized_expression: (fn, node) => fn.expr(named(node)[0]),
  comma_expression: (fn, node) => {
    fn.expr(field(node, 'left'));
    return fn.expr(field(node, 'right'));
  },
  field_expression: (fn, node) => fieldExpression(fn, node),
  subscript_expression: (fn, node) => subscript(fn, node),
  pointer_expression: (fn, node) => pointer(fn, node),
  unary_expression: (fn, node) => unary(fn, node),
  update_expression: (fn, node) => update(fn, node),
  assignment_expression: (fn, node) => assignment(fn, node),
  binary_expression: (fn, node) => binary(fn, node),
  conditional_expression: (fn, node) => conditional(fn, node),
  cast_expression: (fn, node) => ({
    kind: 'cast',
    type: fn.context.squeezed(field(node, 'type')),
    operand: fn.expr(field(node, 'value')),
    span: spanOf(node),
  }),
  call_expression: (fn, node) => callOrCast(fn, node),
  new_expression: (fn, node) => lowerNew(fn, node),
  delete_expression: (fn, node) => lowerDelete(fn, node),
  compound_literal_expression: (fn, node) => madeOf(fn, field(node, 'value') ?? node, fn.context.squeezed(field(node, 'type'))),
  initializer_list: (fn, node) => init(fn, node, undefined),
  lambda_expression: (fn, node) => fn.lambda(node),
  sizeof_expression: (_fn, node) => ({ kind: 'other', operands: [], span: spanOf(node) }),
  alignof_expression: (_fn, node) => ({ kind: 'other', operands: [], span: spanOf(node) }),
  offsetof_expression: (_fn, node) => ({ kind: 'other', operands: [], span: spanOf(node) }),
};

export function lowerExpression(fn: CFunction, node: Node): Expr {
  const lower = kinds[node.type];
  if (lower) return lower(fn, node);
  return { kind: 'other', operands: named(node).map((child) => fn.expr(child)), span: spanOf(node) };
}

function identifier(fn: CFunction, node: Node): Expr {
  return meaningOf(fn, node, fn.context.textOf(node));
}

/** What a name means at a place. */
export function meaningOf(fn: CFunction, node: Node, name: string): Expr {
  if (name === 'NULL' || name === 'nil' || name === 'nullptr') return { kind: 'null', span: spanOf(node) };
  if (/^(TRUE|FALSE|YES|NO|true|false)$/.test(name)) return { kind: 'bool', value: /^[TYt]/.test(name), span: spanOf(node) };
  return { kind: 'path', path: fn.scopes.resolve(name), span: spanOf(node) };
}

function numberOf(text: string): number {
  const plain = text.replace(/'/g, '');
  if (/^0[xX]/.test(plain)) return Number(plain.replace(/[uUlL]+$/, ''));
  return Number(plain.replace(/[uUlLfF]+$/, '').replace(/^0(?=\d+$)/, '0o'));
}

function stringLiteral(fn: CFunction, node: Node): Expr {
  const value = fn.context
    .textOf(node)
    .replace(/"\s*"/g, '')
    .replace(/^[A-Za-z0-9]*"|"$/g, '');
  return { kind: 'string', value, parts: [], span: spanOf(node) };
}

function fieldExpression(fn: CFunction, node: Node): Expr {
  const object = fn.expr(field(node, 'argument'));
  const name = fn.context.squeezed(field(node, 'field'));
  if (object.kind !== 'path') return { kind: 'member', object, name, span: spanOf(node) };
  const { path } = object;
  const base = path.steps.at(-1) === '*' ? { ...path, steps: path.steps.slice(0, -1) } : path;
  return { kind: 'path', path: extend(base, `.${name}`), span: spanOf(node) };
}

function subscript(fn: CFunction, node: Node): Expr {
  const object = fn.expr(field(node, 'argument'));
  const indices = named(field(node, 'indices') ?? field(node, 'index'));
  const index = indices.map((child) => fn.expr(child));
  const bare = field(node, 'indices') ? fn.context.squeezed(field(node, 'indices')) : `[${fn.context.squeezed(field(node, 'index'))}]`;
  if (object.kind === 'path') return { kind: 'path', path: extend(object.path, bare), span: spanOf(node) };
  return { kind: 'other', operands: [object, ...index], span: spanOf(node) };
}

function pointer(fn: CFunction, node: Node): Expr {
  const operand = fn.expr(field(node, 'argument'));
  const op = fn.context.textOf(field(node, 'operator') ?? node.children[0]!);
  if (op === '*' && operand.kind === 'path') return { kind: 'path', path: extend(operand.path, '*'), span: spanOf(node) };
  if (op === '*' && operand.kind === 'unary' && operand.op === '&') return operand.operand;
  return { kind: 'unary', op, operand, span: spanOf(node) };
}

function unary(fn: CFunction, node: Node): Expr {
  const op = fn.context.textOf(field(node, 'operator') ?? node.children[0]!);
  const operand = fn.expr(field(node, 'argument'));
  if (op === '-' && operand.kind === 'number') return { kind: 'number', value: -operand.value, span: spanOf(node) };
  return { kind: 'unary', op, operand, span: spanOf(node) };
}

function update(fn: CFunction, node: Node): Expr {
  const target = fn.expr(field(node, 'argument'));
  fn.body.emit({ kind: 'assign', target, op: hasToken(node, '++') ? '++' : '--', value: undefined, declares: undefined, span: spanOf(node) });
  return target;
}

function assignment(fn: CFunction, node: Node): Expr {
  const value = fn.expr(field(node, 'right'));
  const target = fn.expr(field(node, 'left'));
  const op = fn.context.textOf(field(node, 'operator')!);
  assign(fn, target, op, value, node);
  return target;
}

/** Emits an assignment and tells the call on its right where the value went. */
export function assign(fn: CFunction, target: Expr, op: string, value: Expr, node: Node): void {
  noteResult(value, target);
  fn.body.emit({ kind: 'assign', target, op, value, declares: undefined, span: spanOf(node) });
}

export function noteResult(value: Expr, target: Expr): void {
  if (value.kind === 'cast') noteResult(value.operand, target);
  if (value.kind !== 'call') return;
  value.use = 'assigned';
  value.result = pathOf(target);
}

function binary(fn: CFunction, node: Node): Expr {
  const op = fn.context
    .textOf(field(node, 'operator')!)
    .replace(/^and$/, '&&')
    .replace(/^or$/, '||')
    .replace(/^not_eq$/, '!=');
  const left = fn.expr(field(node, 'left'));
  const rightNode = field(node, 'right');
  const right = (op === '&&' || op === '||') && rightNode && hasEffect(rightNode) ? shortCircuit(fn, left, op, rightNode) : fn.expr(rightNode);
  return { kind: 'binary', op, left, right, span: spanOf(node) };
}

/** Calls and assignments on the right of && run on one outcome of the left only. */
function shortCircuit(fn: CFunction, left: Expr, op: string, node: Node): Expr {
  const go = fn.body.newBlock();
  const done = fn.body.newBlock();
  fn.body.branch(left, op === '&&' ? go : done, op === '&&' ? done : go, true);
  fn.body.startAt(go);
  const right = fn.expr(node);
  fn.body.enter(done);
  return right;
}

export function hasEffect(node: Node): boolean {
  return contains(node, (inner) => /^(call|assignment|update|new|delete)_expression$/.test(inner.type));
}

function conditional(fn: CFunction, node: Node): Expr {
  const test = fn.expr(field(node, 'condition'));
  const yesNode = field(node, 'consequence');
  const noNode = field(node, 'alternative');
  if (!(yesNode && hasEffect(yesNode)) && !(noNode && hasEffect(noNode)))
    return { kind: 'conditional', test, yes: fn.expr(yesNode), no: fn.expr(noNode), span: spanOf(node) };
  const [yesBlock, noBlock, done] = [fn.body.newBlock(), fn.body.newBlock(), fn.body.newBlock()];
  fn.body.branch(test, yesBlock, noBlock, true);
  fn.body.startAt(yesBlock);
  const yes = fn.expr(yesNode);
  fn.body.jump(done);
  fn.body.startAt(noBlock);
  const no = fn.expr(noNode);
  fn.body.enter(done);
  return { kind: 'conditional', test, yes, no, span: spanOf(node) };
}

const hints = /^(__)?(likely|unlikely|builtin_expect|builtin_expect_with_probability)$|^(\w+_)?(UN)?LIKELY$/;

/** `x` of `unlikely(x)` and `__builtin_expect(x, 0)`, which tell the compiler how a test mostly comes out. */
export function hintedOperand(context: FileContext, node: Node): Node | undefined {
  if (node.type !== 'call_expression' || !hints.test(context.textOf(field(node, 'function')!))) return undefined;
  return named(field(node, 'arguments'))[0];
}

function callOrCast(fn: CFunction, node: Node): Expr {
  const hinted = hintedOperand(fn.context, node);
  if (hinted) return fn.expr(hinted);
  const callee = field(node, 'function');
  const args = named(field(node, 'arguments'));
  const text = fn.context.squeezed(callee);
  const isType = callee?.type === 'primitive_type' || /^(u?int\d+_t|u?intptr_t|size_t|GL(u?int(64)?|sizei|enum)|VkDeviceSize)$/.test(text);
  if (args.length === 1 && (castNames.test(text) || isType))
    return { kind: 'cast', type: castType(text), operand: fn.expr(args[0]), span: spanOf(node) };
  return lowerCall(fn, node);
}

function castType(text: string): string {
  return /<(.*)>$/.exec(text)?.[1] ?? text;
}

/** A brace list. Designators may be chained (`.handle.fd`) or indices. */
export function init(fn: CFunction, node: Node, type: string | undefined): InitExpr {
  const entries = named(node).map((child) => {
    if (child.type !== 'initializer_pair') return { field: undefined, value: fn.expr(child) };
    const designators = [...fields(child, 'designator'), ...child.children.filter((part) => part.type === 'field_identifier')];
    const name = designators.map((part) => fn.context.squeezed(part).replace(/^\./, '')).join('.');
    return { field: name, value: fn.expr(field(child, 'value')) };
  });
  return { kind: 'init', type, entries, span: spanOf(node) };
}

/** `T{a, b}`: a list, written as one of `asList`, or the construction of an object that has no fields to be filled in. */
export function madeOf(fn: CFunction, node: Node, type: string, asList: string | undefined = type): Expr {
  const list = init(fn, node, asList);
  const args = list.entries.map((entry) => entry.value);
  return constructsRaii(type, args) ? construct(fn, node, type, args) : list;
}

/** The text of the launch configuration's arguments in order, lowered. */
export function launchArguments(fn: CFunction, node: Node): Expr[] | undefined {
  const config = childOf(node, 'kernel_call_syntax');
  return config ? named(config).map((child) => fn.expr(child)) : undefined;
}

export function callsIn(expr: Expr): Call | undefined {
  if (expr.kind === 'call') return expr;
  if (expr.kind === 'cast' || expr.kind === 'unary') return callsIn(expr.operand);
  if (expr.kind === 'binary') return callsIn(expr.left) ?? callsIn(expr.right);
  return undefined;
}
