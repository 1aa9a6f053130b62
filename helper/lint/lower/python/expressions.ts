// Python expressions to facts.
import type { Call, Expr, Span } from '../../facts/index';
import { extend, pathOf } from '../../facts/paths';
import { contains, field, fields, type Node, named } from '../../syntax/node';
import { spanOf } from '../context';
import type { PyFunction } from './function-lowering';

type Lower = (fn: PyFunction, node: Node) => Expr;

const kinds: Record<string, Lower> = {
  identifier: (fn, node) => ({ kind: 'path', path: fn.resolve(fn.context.textOf(node)), span: spanOf(node) }),
  true: (_fn, node) => ({ kind: 'bool', value: true, span: spanOf(node) }),
  false: (_fn, node) => ({ kind: 'bool', value: false, span: spanOf(node) }),
  none: (_fn, node) => ({ kind: 'null', span: spanOf(node) }),
  integer: (fn, node) => ({ kind: 'number', value: Number(fn.context.textOf(node).replace(/_/g, '')), span: spanOf(node) }),
  float: (fn, node) => ({ kind: 'number', value: Number(fn.context.textOf(node).replace(/_/g, '')), span: spanOf(node) }),
  string: (fn, node) => string(fn, node),
  concatenated_string: (fn, node) => string(fn, node),
  parenthesized_expression: (fn, node) => fn.expr(named(node)[0]),
  await: (fn, node) => fn.expr(named(node)[0]),
  attribute: (fn, node) => attribute(fn, node),
  subscript: (fn, node) => subscript(fn, node),
  call: (fn, node) => call(fn, node),
  unary_operator: (fn, node) => unary(fn, node),
  not_operator: (fn, node) => ({ kind: 'unary', op: '!', operand: fn.expr(field(node, 'argument')), span: spanOf(node) }),
  binary_operator: (fn, node) => binary(fn, node, fn.context.textOf(field(node, 'operator')!)),
  boolean_operator: (fn, node) => boolean(fn, node),
  comparison_operator: (fn, node) => comparison(fn, node),
  conditional_expression: (fn, node) => {
    const [yes, test, no] = named(node);
    const condition = fn.expr(test);
    return { kind: 'conditional', test: condition, yes: fn.expr(yes), no: fn.expr(no), span: spanOf(node) };
  },
  tuple: (fn, node) => sequence(fn, node),
  list: (fn, node) => sequence(fn, node),
  set: (fn, node) => sequence(fn, node),
  expression_list: (fn, node) => sequence(fn, node),
  pattern_list: (fn, node) => sequence(fn, node),
  tuple_pattern: (fn, node) => sequence(fn, node),
  list_pattern: (fn, node) => sequence(fn, node),
  dictionary: (fn, node) => dictionary(fn, node),
  named_expression: (fn, node) => {
    const value = fn.expr(field(node, 'value'));
    return fn.assign(field(node, 'name')!, '=', value, node);
  },
  assignment: (fn, node) => assignment(fn, node),
  augmented_assignment: (fn, node) => {
    const value = fn.expr(field(node, 'right'));
    return fn.assign(field(node, 'left')!, fn.context.textOf(field(node, 'operator')!), value, node);
  },
  lambda: (fn, node) => fn.nested(node, 'lambda'),
  list_comprehension: (fn, node) => comprehension(fn, node),
  set_comprehension: (fn, node) => comprehension(fn, node),
  dictionary_comprehension: (fn, node) => comprehension(fn, node),
  generator_expression: (fn, node) => comprehension(fn, node),
};

export function lowerExpression(fn: PyFunction, node: Node): Expr {
  const lower = kinds[node.type];
  return lower ? lower(fn, node) : { kind: 'other', operands: named(node).map((child) => fn.expr(child)), span: spanOf(node) };
}

function string(fn: PyFunction, node: Node): Expr {
  const interpolations: Node[] = [];
  contains(node, (inner) => {
    if (inner.type === 'interpolation') interpolations.push(inner);
    return false;
  });
  const value = fn.context
    .textOf(node)
    .replace(/^[A-Za-z]*("""|'''|"|')/, '')
    .replace(/("""|'''|"|')$/, '');
  return { kind: 'string', value, parts: interpolations.map((part) => fn.expr(field(part, 'expression'))), span: spanOf(node) };
}

function attribute(fn: PyFunction, node: Node): Expr {
  const object = fn.expr(field(node, 'object'));
  const name = fn.context.textOf(field(node, 'attribute')!);
  if (object.kind === 'path') return { kind: 'path', path: extend(object.path, `.${name}`), span: spanOf(node) };
  return { kind: 'member', object, name, span: spanOf(node) };
}

function subscript(fn: PyFunction, node: Node): Expr {
  const object = fn.expr(field(node, 'value'));
  const keys = fields(node, 'subscript').map((key) => fn.expr(key));
  if (object.kind === 'path') {
    const index = fields(node, 'subscript').map((key) => fn.context.squeezed(key));
    return { kind: 'path', path: extend(object.path, `[${index.join(',')}]`), span: spanOf(node) };
  }
  return { kind: 'other', operands: [object, ...keys], span: spanOf(node) };
}

function call(fn: PyFunction, node: Node): Expr {
  const calleeNode = field(node, 'function')!;
  const isMethod = calleeNode.type === 'attribute';
  const receiver = isMethod ? fn.expr(field(calleeNode, 'object')) : /identifier/.test(calleeNode.type) ? undefined : fn.expr(calleeNode);
  const args: Expr[] = [];
  const keywords = new Map<string, Expr>();
  for (const child of argumentsOf(node)) {
    if (child.type === 'keyword_argument') keywords.set(fn.context.textOf(field(child, 'name')!), fn.expr(field(child, 'value')));
    else args.push(fn.expr(child));
  }
  const written = fn.context.squeezed(calleeNode);
  const callee = fn.dotted(written);
  const name = written.split('.').at(-1)!.replace(/\W.*$/, '');
  const shape = { name, callee, receiver, args, keywords, launch: undefined, form: 'call' as const };
  const api = fn.context.knowledge.bind({ ...shape, typeOf: () => undefined, language: 'python' });
  const event = fn.body.emit<Call>({ ...shape, kind: 'call', result: undefined, use: 'operand', check: undefined, api, span: spanOf(node) });
  if (api) api.call = event;
  return event;
}

function argumentsOf(node: Node): Node[] {
  const list = field(node, 'arguments');
  return list?.type === 'argument_list' ? named(list) : list ? [list] : [];
}

function unary(fn: PyFunction, node: Node): Expr {
  const op = fn.context.textOf(field(node, 'operator')!);
  const operand = fn.expr(field(node, 'argument'));
  if (op === '-' && operand.kind === 'number') return { kind: 'number', value: -operand.value, span: spanOf(node) };
  return { kind: 'unary', op, operand, span: spanOf(node) };
}

function binary(fn: PyFunction, node: Node, op: string): Expr {
  return { kind: 'binary', op, left: fn.expr(field(node, 'left')), right: fn.expr(field(node, 'right')), span: spanOf(node) };
}

/** `and`/`or`: the right side runs on one outcome of the left only. */
function boolean(fn: PyFunction, node: Node): Expr {
  const op = fn.context.textOf(field(node, 'operator')!) === 'and' ? '&&' : '||';
  const left = fn.expr(field(node, 'left'));
  const rightNode = field(node, 'right')!;
  if (!contains(rightNode, (inner) => inner.type === 'call')) return { kind: 'binary', op, left, right: fn.expr(rightNode), span: spanOf(node) };
  const [go, done] = [fn.body.newBlock(), fn.body.newBlock()];
  fn.body.branch(left, op === '&&' ? go : done, op === '&&' ? done : go, true);
  fn.body.startAt(go);
  const right = fn.expr(rightNode);
  fn.body.enter(done);
  return { kind: 'binary', op, left, right, span: spanOf(node) };
}

const comparisons: Record<string, string> = { is: '==', 'is not': '!=', '<>': '!=' };

/** `a < b < c` is `a < b and b < c`; thousands of links, as machines write them, are grouped in halves to stay flat. */
function comparison(fn: PyFunction, node: Node): Expr {
  const operands = named(node).map((child) => fn.expr(child));
  const ops = fields(node, 'operators').map((op) => fn.context.squeezed(op));
  const span = spanOf(node);
  const links = operands.slice(1).map((right, i): Expr => {
    const op = ops[i] ?? '==';
    return { kind: 'binary', op: comparisons[op] ?? op, left: operands[i]!, right, span };
  });
  return allOf(links, span) ?? operands[0]!;
}

function allOf(tests: readonly Expr[], span: Span): Expr | undefined {
  if (tests.length < 2) return tests[0];
  const middle = tests.length >> 1;
  return { kind: 'binary', op: '&&', left: allOf(tests.slice(0, middle), span)!, right: allOf(tests.slice(middle), span)!, span };
}

function sequence(fn: PyFunction, node: Node): Expr {
  const entries = named(node).map((child) => ({ field: undefined, value: fn.expr(child) }));
  return { kind: 'init', type: node.type, entries, span: spanOf(node) };
}

function dictionary(fn: PyFunction, node: Node): Expr {
  const entries = named(node).map((child) => {
    const key = field(child, 'key');
    const keyExpr = key && fn.expr(key);
    return { field: keyExpr?.kind === 'string' ? keyExpr.value : undefined, value: fn.expr(field(child, 'value') ?? child) };
  });
  return { kind: 'init', type: 'dictionary', entries, span: spanOf(node) };
}

function assignment(fn: PyFunction, node: Node): Expr {
  const right = field(node, 'right');
  const value = right ? fn.expr(right) : undefined;
  const type = field(node, 'type');
  return fn.assign(field(node, 'left')!, '=', value, node, type && fn.context.squeezed(type));
}

/** The loop of a comprehension is taken to run once; its names are locals. */
function comprehension(fn: PyFunction, node: Node): Expr {
  const clauses = named(node).filter((child) => child.field !== 'body');
  const operands: Expr[] = [];
  for (const clause of clauses) {
    if (clause.type === 'for_in_clause') {
      const source = fn.expr(field(clause, 'right'));
      fn.assign(field(clause, 'left')!, '=', { kind: 'other', operands: [source], span: source.span }, clause);
      operands.push(source);
    } else operands.push(...named(clause).map((child) => fn.expr(child)));
  }
  return { kind: 'other', operands: [fn.expr(field(node, 'body')), ...operands], span: spanOf(node) };
}

export function noteResult(value: Expr | undefined, target: Expr): void {
  if (value?.kind !== 'call') return;
  value.use = 'assigned';
  value.result = pathOf(target);
}
