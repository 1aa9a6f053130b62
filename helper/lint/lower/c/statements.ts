// C, C++ and CUDA statements to control flow.
import type { Expr, Variable } from '../../facts/index';
import { extend, pathOf } from '../../facts/paths';
import { childOf, field, fields, type Node, named } from '../../syntax/node';
import { spanNear, spanOf } from '../context';
import { construct, emitCall, hppStruct, isPlainHppStruct, lastComponent } from './calls';
import { declaratorsOf, declared, hasStorage, typeText } from './declarators';
import { madeOf, noteResult } from './expressions';
import type { CFunction } from './function-lowering';

type Lower = (fn: CFunction, node: Node) => void;

const kinds: Record<string, Lower> = {
  compound_statement: (fn, node) => fn.scope(node, () => fn.statements(named(node))),
  expression_statement: (fn, node) => fn.evaluate(named(node)[0]),
  declaration: (fn, node) => declaration(fn, node),
  init_statement: (fn, node) => fn.statements(named(node)),
  if_statement: (fn, node) => fn.scope(node, () => ifStatement(fn, node)),
  while_statement: (fn, node) => fn.scope(node, () => whileStatement(fn, node)),
  do_statement: (fn, node) => doStatement(fn, node),
  for_statement: (fn, node) => fn.scope(node, () => forStatement(fn, node)),
  for_range_loop: (fn, node) => fn.scope(node, () => forRange(fn, node)),
  switch_statement: (fn, node) => fn.scope(node, () => switchStatement(fn, node)),
  case_statement: (fn, node) => fn.statements(named(node)),
  break_statement: (fn, node) => fn.body.breakOut(spanOf(node)),
  continue_statement: (fn, node) => fn.body.continueLoop(spanOf(node)),
  return_statement: (fn, node) => returnStatement(fn, node),
  co_return_statement: (fn, node) => returnStatement(fn, node),
  throw_statement: (fn, node) => throwStatement(fn, node),
  goto_statement: (fn, node) => fn.body.jump(fn.body.label(fn.context.textOf(field(node, 'label')!))),
  labeled_statement: (fn, node) => labeled(fn, node),
  try_statement: (fn, node) => tryStatement(fn, node),
  else_clause: (fn, node) => fn.statements(named(node)),
  attributed_statement: (fn, node) => fn.statements(named(node)),
  ERROR: (fn, node) => fn.statements(named(node)),
};

const silent =
  /^(preproc_|comment|type_definition|using_declaration|alias_declaration|static_assert|struct_specifier|class_specifier|enum_specifier|statement_identifier|attribute)/;

export function lowerStatement(fn: CFunction, node: Node): void {
  if (fn.body.tooLarge) return;
  const lower = kinds[node.type];
  if (lower) lower(fn, node);
  else if (!silent.test(node.type)) fn.evaluate(node);
}

function declaration(fn: CFunction, node: Node): void {
  for (const { declarator, init: initNode } of declaratorsOf(node)) {
    if (declarator.type === 'structured_binding_declarator') {
      structuredBinding(fn, node, declarator, initNode);
      continue;
    }
    const target = declared(declarator);
    if (!target) continue;
    const ambiguous = target.functionOf && constructorArguments(fn, node, target.functionOf);
    if (target.functionOf && !ambiguous && !initNode && isPrototype(target.functionOf)) continue;
    const isStatic = hasStorage(fn.context, node, 'static');
    declareLocal(fn, { node, target, initNode, ambiguous, isStatic });
  }
}

interface Local {
  node: Node;
  target: { name: Node; suffix: string };
  initNode: Node | undefined;
  /** Arguments of `T x(a, b)` when the grammar took it for a prototype. */
  ambiguous: Node | undefined;
  isStatic: boolean;
}

/**
 * `Foo foo(a, b)` parses as a prototype; it is a construction when every parameter is a bare name that is a variable here. Nobody
 * declares a function that returns a thread or a struct of vulkan.hpp inside a function, so `std::thread t(run, x)` and
 * `vk::SubmitInfo info(vk::A::eB)` are one whatever the names mean.
 */
function constructorArguments(fn: CFunction, node: Node, declarator: Node): Node | undefined {
  const list = childOf(declarator, 'parameter_list');
  const params = named(list);
  const isObject = /^((std::)?j?thread|vk::\w+)$/.test(typeText(fn.context, node, ''));
  const isBare = (param: Node) => param.type === 'parameter_declaration' && !field(param, 'declarator');
  const isArgument = (param: Node) =>
    (isBare(param) && (isObject || fn.isVariable(fn.context.textOf(param)))) ||
    calledParameter(fn, param) !== undefined ||
    indexedParameter(fn, param) !== undefined;
  return list && params.length > 0 && params.every(isArgument) ? list : undefined;
}

/** `f(a, b)` inside `Foo foo(f(a, b))`, which parses as a parameter of function type: the names of the arguments when all are variables. */
function calledParameter(fn: CFunction, param: Node): { callee: Node; list: Node } | undefined {
  const callee = childOf(param, 'type_identifier') ?? childOf(param, 'qualified_identifier');
  const declarator = childOf(param, 'abstract_function_declarator');
  const list = declarator && childOf(declarator, 'parameter_list');
  const isVariable = (each: Node) => fn.isVariable(fn.context.textOf(each)) || calledParameter(fn, each) !== undefined;
  return callee && list && named(list).length > 0 && named(list).every(isVariable) ? { callee, list } : undefined;
}

/** `a[i]` inside `Foo foo(a[i])`, which parses as a parameter of array type. */
function indexedParameter(fn: CFunction, param: Node): { array: Node; index: Node } | undefined {
  const array = childOf(param, 'type_identifier');
  const declarator = childOf(param, 'abstract_array_declarator');
  const index = declarator && field(declarator, 'size');
  const isPlain = declarator && !field(declarator, 'declarator');
  return array && index && isPlain && fn.isVariable(fn.context.textOf(array)) ? { array, index } : undefined;
}

/** An argument that the grammar took for a parameter. */
function ambiguousArgument(fn: CFunction, node: Node): Expr {
  if (node.type !== 'parameter_declaration') return fn.expr(node);
  const indexed = indexedParameter(fn, node);
  if (indexed) return elementOf(fn, node, indexed);
  const called = calledParameter(fn, node);
  if (!called) return fn.name(fn.context.textOf(node), node);
  const args = named(called.list).map((child) => ambiguousArgument(fn, child));
  const callee = fn.context.squeezed(called.callee);
  return emitCall(fn, node, { name: lastComponent(callee), callee, receiver: undefined, args, launch: undefined, form: 'call' });
}

function elementOf(fn: CFunction, node: Node, { array, index }: { array: Node; index: Node }): Expr {
  const whole = fn.name(fn.context.textOf(array), array);
  const path = pathOf(whole);
  return path ? { kind: 'path', path: extend(path, `[${fn.context.squeezed(index)}]`), span: spanOf(node) } : whole;
}

function isPrototype(declarator: Node): boolean {
  return field(declarator, 'declarator')?.type !== 'parenthesized_declarator';
}

function declareLocal(fn: CFunction, { node, target, initNode, ambiguous, isStatic }: Local): void {
  const name = fn.context.textOf(target.name);
  const written = typeText(fn.context, node, target.suffix);
  const value = ambiguous ? constructed(fn, node, written, ambiguous) : initialiser(fn, node, written, initNode);
  const type = deduced(written, value);
  const variable: Variable = {
    name,
    type,
    kind: 'local',
    span: spanOf(target.name),
    isStatic,
    isThreadLocal: hasStorage(fn.context, node, 'thread_local'),
    init: undefined,
  };
  fn.scopes.add(variable);
  if (!isStatic && needsDestruction(type)) fn.body.declare(variable);
  const path = fn.scopes.resolve(name);
  const expr = { kind: 'path' as const, path, span: variable.span };
  if (value) noteResult(value, expr);
  fn.body.emit({
    kind: 'assign',
    target: expr,
    op: '=',
    value,
    declares: variable,
    span: spanNear(target.name, target.name.start, initNode?.end ?? target.name.end),
  });
}

/** `auto` takes the type of a cast, a construction or `new`, which is all that the file shows. */
function deduced(written: string, value: Expr | undefined): string {
  if (!/\bauto\b/.test(written) || !value) return written;
  if (value.kind === 'cast') return written.replace(/\bauto\b/, value.type);
  if (value.kind === 'init' && value.type) return written.replace(/\bauto\b/, value.type);
  if (value.kind === 'call' && value.form === 'construct') return written.replace(/\bauto\b/, value.name);
  if (value.kind === 'call' && value.form === 'new') return written.replace(/\bauto\b\*?/, `${value.name}*`);
  return written;
}

const plainType =
  /^(const |volatile |unsigned |signed |long |short )*(int|char|bool|float|double|long|short|unsigned|size_t|u?int\d+_t|auto|void|HANDLE|DWORD|BOOL|Vk\w+|CU\w+|cuda\w+|GL\w+|EGL\w+)$/;

function needsDestruction(type: string): boolean {
  return !/[*&\]]$/.test(type) && !plainType.test(type);
}

function initialiser(fn: CFunction, node: Node, type: string, initNode: Node | undefined) {
  if (!initNode) return undefined;
  if (initNode.type === 'argument_list') return constructed(fn, node, type, initNode);
  if (initNode.type === 'initializer_list') return madeOf(fn, initNode, type);
  return fn.expr(initNode);
}

/** `T x(a)`: for a plain type it is `T x = a`. */
function constructed(fn: CFunction, node: Node, type: string, list: Node) {
  const args = named(list).map((child) => ambiguousArgument(fn, child));
  if (args.length === 1 && !needsDestruction(type)) return args[0];
  if (isPlainHppStruct(type)) return hppStruct(node, type, args);
  return construct(fn, node, type, args);
}

function structuredBinding(fn: CFunction, node: Node, declarator: Node, initNode: Node | undefined): void {
  const value = initNode ? fn.expr(initNode) : undefined;
  for (const child of named(declarator)) {
    const name = fn.context.textOf(child);
    const variable: Variable = { name, type: 'auto', kind: 'local', span: spanOf(child), isStatic: false, init: undefined };
    fn.scopes.add(variable);
    const part = value ? { kind: 'other' as const, operands: [value], span: value.span } : undefined;
    fn.body.emit({ kind: 'assign', target: fn.name(name, child), op: '=', value: part, declares: variable, span: spanOf(node) });
  }
}

/** The condition of if, while or switch, with its initialiser run first. */
function conditionOf(fn: CFunction, clause: Node | undefined): Node | undefined {
  if (clause?.type !== 'condition_clause') return clause;
  const before = field(clause, 'initializer');
  if (before) fn.statement(before);
  return field(clause, 'value');
}

/** Branches on a condition; `if (T x = f())` declares and tests x. */
function branchOn(fn: CFunction, condition: Node | undefined, yes: number, no: number): void {
  if (condition?.type === 'declaration') {
    declaration(fn, condition);
    const name = declared(declaratorsOf(condition)[0]?.declarator)?.name ?? field(condition, 'declarator');
    if (name) {
      fn.body.branch(fn.name(fn.context.textOf(name), name), yes, no);
      return;
    }
  }
  fn.condition(condition, yes, no);
}

function ifStatement(fn: CFunction, node: Node): void {
  const [yes, no, done] = [fn.body.newBlock(), fn.body.newBlock(), fn.body.newBlock()];
  const condition = conditionOf(fn, field(node, 'condition'));
  branchOn(fn, condition, yes, no);
  fn.body.startAt(yes);
  fn.statementIn(field(node, 'consequence'));
  fn.body.jump(done);
  fn.body.startAt(no);
  fn.statementIn(field(node, 'alternative'));
  fn.body.enter(done);
}

function whileStatement(fn: CFunction, node: Node): void {
  const [head, body, done] = [fn.body.newBlock(), fn.body.newBlock(), fn.body.newBlock()];
  fn.body.enter(head);
  branchOn(fn, conditionOf(fn, field(node, 'condition')), body, done);
  fn.body.startAt(body);
  fn.body.loop(done, head, () => fn.statementIn(field(node, 'body')));
  fn.body.jump(head);
  fn.body.startAt(done);
}

function doStatement(fn: CFunction, node: Node): void {
  const [body, test, done] = [fn.body.newBlock(), fn.body.newBlock(), fn.body.newBlock()];
  fn.body.enter(body);
  fn.body.loop(done, test, () => fn.statementIn(field(node, 'body')));
  fn.body.enter(test);
  fn.condition(field(node, 'condition'), body, done);
  fn.body.startAt(done);
}

function forStatement(fn: CFunction, node: Node): void {
  const start = field(node, 'initializer');
  if (start) fn.statement(start);
  const [head, body, step, done] = [fn.body.newBlock(), fn.body.newBlock(), fn.body.newBlock(), fn.body.newBlock()];
  fn.body.enter(head);
  const condition = field(node, 'condition');
  if (condition) fn.condition(condition, body, done);
  else fn.body.enter(body);
  fn.body.startAt(body);
  fn.body.loop(done, step, () => fn.statementIn(field(node, 'body')));
  fn.body.enter(step);
  for (const update of fields(node, 'update')) fn.evaluate(update);
  fn.body.jump(head);
  fn.body.startAt(done);
}

function forRange(fn: CFunction, node: Node): void {
  const before = field(node, 'initializer');
  if (before) fn.statement(before);
  const range = fn.expr(field(node, 'right'));
  const [head, body, done] = [fn.body.newBlock(), fn.body.newBlock(), fn.body.newBlock()];
  fn.body.enter(head);
  fn.body.branch({ kind: 'other', operands: [], span: range.span }, body, done);
  fn.body.startAt(body);
  const value = { kind: 'other' as const, operands: [range], span: range.span };
  for (const { name, type } of rangeVariables(fn, node)) {
    const text = fn.context.textOf(name);
    const variable: Variable = { name: text, type, kind: 'local', span: spanOf(name), isStatic: false, init: undefined };
    fn.scopes.add(variable);
    fn.body.emit({ kind: 'assign', target: fn.name(text, name), op: '=', value, declares: variable, span: spanOf(name) });
  }
  fn.body.loop(done, head, () => fn.statementIn(field(node, 'body')));
  fn.body.jump(head);
  fn.body.startAt(done);
}

/** What a loop over a range declares: one variable, or the names of `auto& [key, value]`. */
function rangeVariables(fn: CFunction, node: Node): { name: Node; type: string }[] {
  const declarator = field(node, 'declarator');
  const binding = [declarator, ...named(declarator)].find((each) => each?.type === 'structured_binding_declarator');
  if (binding) return named(binding).map((name) => ({ name, type: 'auto' }));
  const target = declared(declarator);
  return target ? [{ name: target.name, type: typeText(fn.context, node, target.suffix) }] : [];
}

function switchStatement(fn: CFunction, node: Node): void {
  const condition = conditionOf(fn, field(node, 'condition'));
  const subject = fn.expr(condition);
  const done = fn.body.newBlock();
  const cases = named(field(node, 'body'));
  const starts = cases.map(() => fn.body.newBlock());
  const fallback = cases.findIndex((child) => child.type === 'case_statement' && !field(child, 'value'));
  for (const [i, child] of cases.entries()) {
    const value = child.type === 'case_statement' ? field(child, 'value') : undefined;
    if (!value) continue;
    const next = fn.body.newBlock();
    const span = spanOf(value);
    fn.body.branch({ kind: 'binary', op: '==', left: subject, right: fn.expr(value), span }, starts[i]!, next);
    fn.body.startAt(next);
  }
  fn.body.jump(fallback >= 0 ? starts[fallback]! : done);
  fn.body.loop(done, undefined, () => {
    for (const [i, child] of cases.entries()) {
      fn.body.enter(starts[i]!);
      const value = field(child, 'value');
      fn.scope(child, () => fn.statements(child.type === 'case_statement' ? named(child).filter((part) => part !== value) : [child]));
    }
  });
  fn.body.enter(done);
}

function returnStatement(fn: CFunction, node: Node): void {
  const valueNode = named(node)[0];
  const value = valueNode?.type === 'initializer_list' ? madeOf(fn, valueNode, fn.facts.returnType, undefined) : valueNode && fn.expr(valueNode);
  if (value?.kind === 'call') value.use = 'returned';
  fn.body.emit({ kind: 'return', value, span: spanOf(node) });
  fn.body.leave(spanOf(node));
}

function throwStatement(fn: CFunction, node: Node): void {
  const valueNode = named(node)[0];
  const value = valueNode ? fn.expr(valueNode) : undefined;
  fn.body.emit({ kind: 'throw', value, span: spanOf(node) });
  fn.body.raise(spanOf(node));
}

function labeled(fn: CFunction, node: Node): void {
  fn.body.enter(fn.body.label(fn.context.textOf(field(node, 'label')!)));
  fn.statements(named(node).filter((child) => child.field !== 'label'));
}

function tryStatement(fn: CFunction, node: Node): void {
  const [handler, done] = [fn.body.newBlock(), fn.body.newBlock()];
  fn.body.guarded(handler, () => fn.statementIn(field(node, 'body')));
  fn.body.jump(done);
  fn.body.startAt(handler);
  const clauses = node.children.filter((child) => child.type === 'catch_clause');
  for (const [i, clause] of clauses.entries()) {
    const last = i === clauses.length - 1;
    const [body, next] = [fn.body.newBlock(), fn.body.newBlock()];
    if (last) fn.body.enter(body);
    else fn.body.branch({ kind: 'other', operands: [], span: spanOf(clause) }, body, next);
    fn.body.startAt(body);
    fn.scope(clause, () => {
      fn.declareParameters(clause);
      fn.statementIn(field(clause, 'body'));
    });
    fn.body.jump(done);
    fn.body.startAt(next);
  }
  fn.body.startAt(done);
}
