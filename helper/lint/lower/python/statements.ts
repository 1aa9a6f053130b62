// Python statements to control flow.
import type { Expr } from '../../facts/index';
import { childOf, field, fields, type Node, named } from '../../syntax/node';
import { spanNear, spanOf } from '../context';
import { lowerClass } from './file';
import type { PyFunction } from './function-lowering';

type Lower = (fn: PyFunction, node: Node) => void;

const kinds: Record<string, Lower> = {
  module: (fn, node) => fn.statements(named(node)),
  block: (fn, node) => fn.statements(named(node)),
  expression_statement: (fn, node) => {
    for (const child of named(node)) fn.evaluate(child);
  },
  if_statement: (fn, node) => ifStatement(fn, node),
  while_statement: (fn, node) => whileStatement(fn, node),
  for_statement: (fn, node) => forStatement(fn, node),
  with_statement: (fn, node) => withItems(fn, node, named(childOf(node, 'with_clause')), 0),
  try_statement: (fn, node) => tryStatement(fn, node),
  return_statement: (fn, node) => {
    const value = named(node)[0] && fn.expr(named(node)[0]);
    if (value?.kind === 'call') value.use = 'returned';
    fn.body.emit({ kind: 'return', value, span: spanOf(node) });
    fn.body.leave(spanOf(node));
  },
  raise_statement: (fn, node) => {
    const value = named(node)[0] && fn.expr(named(node)[0]);
    fn.body.emit({ kind: 'throw', value, span: spanOf(node) });
    fn.body.raise(spanOf(node));
  },
  break_statement: (fn, node) => fn.body.breakOut(spanOf(node)),
  continue_statement: (fn, node) => fn.body.continueLoop(spanOf(node)),
  assert_statement: (fn, node) => assertStatement(fn, node),
  delete_statement: (fn, node) => deleteStatement(fn, node),
  match_statement: (fn, node) => matchStatement(fn, node),
  function_definition: (fn, node) => fn.define(node, []),
  class_definition: (fn, node) => lowerClass(fn.context, node),
  decorated_definition: (fn, node) => decorated(fn, node),
  ERROR: (fn, node) => fn.statements(named(node)),
};

const silent = /^(import|future_import|comment|pass|global|nonlocal|type_alias)/;

export function lowerStatement(fn: PyFunction, node: Node): void {
  if (fn.body.tooLarge) return;
  const lower = kinds[node.type];
  if (lower) lower(fn, node);
  else if (!silent.test(node.type)) fn.evaluate(node);
}

function ifStatement(fn: PyFunction, node: Node): void {
  const done = fn.body.newBlock();
  branch(fn, field(node, 'condition'), field(node, 'consequence'), fields(node, 'alternative'), done);
}

/** Continues at `done`. */
function branch(fn: PyFunction, condition: Node | undefined, consequence: Node | undefined, rest: Node[], done: number): void {
  const [yes, no] = [fn.body.newBlock(), fn.body.newBlock()];
  fn.condition(condition, yes, no);
  fn.body.startAt(yes);
  if (consequence) fn.statement(consequence);
  fn.body.jump(done);
  fn.body.startAt(no);
  const [next, ...others] = rest;
  if (next?.type === 'elif_clause') {
    branch(fn, field(next, 'condition'), field(next, 'consequence'), others, done);
  } else if (next) {
    fn.statement(field(next, 'body') ?? next);
    fn.body.jump(done);
  } else fn.body.jump(done);
  fn.body.startAt(done);
}

function elseOf(fn: PyFunction, node: Node): void {
  const clause = node.children.find((child) => child.type === 'else_clause');
  if (clause) fn.statement(field(clause, 'body') ?? clause);
}

function whileStatement(fn: PyFunction, node: Node): void {
  const [head, body, otherwise, done] = [fn.body.newBlock(), fn.body.newBlock(), fn.body.newBlock(), fn.body.newBlock()];
  fn.body.enter(head);
  fn.condition(field(node, 'condition'), body, otherwise);
  fn.body.startAt(body);
  fn.body.loop(done, head, () => fn.statement(field(node, 'body')!));
  fn.body.jump(head);
  fn.body.startAt(otherwise);
  elseOf(fn, node);
  fn.body.enter(done);
}

function forStatement(fn: PyFunction, node: Node): void {
  const source = fn.expr(field(node, 'right'));
  const [head, body, otherwise, done] = [fn.body.newBlock(), fn.body.newBlock(), fn.body.newBlock(), fn.body.newBlock()];
  fn.body.enter(head);
  fn.body.branch({ kind: 'other', operands: [], span: source.span }, body, otherwise);
  fn.body.startAt(body);
  const left = field(node, 'left')!;
  fn.assign(left, '=', { kind: 'other', operands: [source], span: source.span }, left);
  fn.body.loop(done, head, () => fn.statement(field(node, 'body')!));
  fn.body.jump(head);
  fn.body.startAt(otherwise);
  elseOf(fn, node);
  fn.body.enter(done);
}

/** Each item is a region of its own, so that its end runs on every way out. */
function withItems(fn: PyFunction, node: Node, items: readonly Node[], at: number): void {
  const item = items[at];
  if (!item) {
    fn.statement(field(node, 'body')!);
    return;
  }
  const value = field(item, 'value') ?? named(item)[0];
  // What cannot be read as an item opens nothing.
  if (!value) {
    withItems(fn, node, items, at + 1);
    return;
  }
  const isAlias = value.type === 'as_pattern';
  const context = fn.expr(isAlias ? named(value)[0] : value);
  const alias = isAlias ? named(field(value, 'alias'))[0] : undefined;
  if (alias) fn.assign(alias, '=', context, item);
  const target: Expr | undefined = alias && fn.expr(alias);
  fn.body.emit({ kind: 'scopeBegin', context, target, span: spanOf(item) });
  const span = spanNear(node, node.end, node.end);
  fn.body.scope(
    spanOf(node),
    () => withItems(fn, node, items, at + 1),
    () => fn.body.emit({ kind: 'scopeEnd', variables: [], context, span }),
  );
}

function tryStatement(fn: PyFunction, node: Node): void {
  const finallyBody = childOf(node, 'finally_clause')?.children.find((child) => child.type === 'block');
  const cleanup = finallyBody ? () => fn.statement(finallyBody) : undefined;
  fn.body.scope(spanOf(node), () => tryBody(fn, node), cleanup);
}

function tryBody(fn: PyFunction, node: Node): void {
  const clauses = node.children.filter((child) => /^except/.test(child.type));
  if (clauses.length === 0) {
    fn.statement(field(node, 'body')!);
    return;
  }
  const [handler, done] = [fn.body.newBlock(), fn.body.newBlock()];
  fn.body.guarded(handler, () => fn.statement(field(node, 'body')!));
  elseOf(fn, node);
  fn.body.jump(done);
  fn.body.startAt(handler);
  for (const [i, clause] of clauses.entries()) {
    const [body, next] = [fn.body.newBlock(), fn.body.newBlock()];
    if (i === clauses.length - 1) fn.body.enter(body);
    else fn.body.branch({ kind: 'other', operands: [], span: spanOf(clause) }, body, next);
    fn.body.startAt(body);
    const block = clause.children.find((child) => child.type === 'block');
    if (block) fn.statement(block);
    fn.body.jump(done);
    fn.body.startAt(next);
  }
  fn.body.startAt(done);
}

function assertStatement(fn: PyFunction, node: Node): void {
  const [ok, failed] = [fn.body.newBlock(), fn.body.newBlock()];
  fn.condition(named(node)[0], ok, failed);
  fn.body.startAt(failed);
  fn.body.abort();
  fn.body.startAt(ok);
}

function deleteStatement(fn: PyFunction, node: Node): void {
  const args = named(node)
    .flatMap((child) => (child.type === 'expression_list' ? named(child) : [child]))
    .map((child) => fn.expr(child));
  fn.emitDelete(args, spanOf(node));
}

function matchStatement(fn: PyFunction, node: Node): void {
  const subject = fn.expr(field(node, 'subject'));
  const done = fn.body.newBlock();
  for (const clause of fields(field(node, 'body') ?? node, 'alternative')) {
    const [body, next] = [fn.body.newBlock(), fn.body.newBlock()];
    fn.body.branch({ kind: 'other', operands: [subject], span: spanOf(clause) }, body, next);
    fn.body.startAt(body);
    const block = field(clause, 'consequence');
    if (block) fn.statement(block);
    fn.body.jump(done);
    fn.body.startAt(next);
  }
  fn.body.enter(done);
}

function decorated(fn: PyFunction, node: Node): void {
  const decorators = node.children.filter((child) => child.type === 'decorator');
  const definition = field(node, 'definition')!;
  const words = decorators.map((decorator) => fn.context.squeezed(decorator));
  if (definition.type === 'class_definition') lowerClass(fn.context, definition);
  else fn.define(definition, words);
}
