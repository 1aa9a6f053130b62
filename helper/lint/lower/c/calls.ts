// Calls, constructions, launches, new and delete; and the check macros around them.
import type { Call, Consequence, Expr, SuccessExpr } from '../../facts/index';
import { pathOf, symbolOf } from '../../facts/paths';
import type { Check } from '../../knowledge/check-values';
import { bareType, fieldOrder, hasStatus } from '../../knowledge/index';
import { field, type Node, named } from '../../syntax/node';
import { launchedByMacro } from '../../text/macro-launches';
import { withoutLastTemplate } from '../../text/words';
import { functionPointer, other, spanOf } from '../context';
import { callsIn, hasEffect, init, launchArguments, meaningOf } from './expressions';
import type { CFunction } from './function-lowering';

export function lowerCall(fn: CFunction, node: Node): Expr {
  const callee = field(node, 'function')!;
  const launched = callee.type === 'call_expression' ? launchedByMacro(fn.context.squeezed(field(callee, 'function'))) : undefined;
  if (launched !== undefined) return lowerMacroLaunch(fn, node, launched, callee);
  const receiver = callee.type === 'field_expression' ? fn.expr(field(callee, 'argument')) : calledExpression(fn, callee);
  const launch = launchArguments(fn, node);
  const text = fn.context.squeezed(callee);
  const name = lastComponent(callee.type === 'field_expression' ? fn.context.squeezed(field(callee, 'field')) : text);
  const { args, cleanUp } = argumentsOf(fn, node, text);
  if (!launch && isPointerCast(fn, name, args)) return { kind: 'cast', type: name, operand: args[0]!, span: spanOf(node) };
  const struct = launch ? undefined : hppStructOf(fn, node, { name, callee: text, receiver, args });
  if (struct) return struct;
  const check = launch ? undefined : checkedArgument(fn, name, args);
  if (check && !makesOwn(fn, node, { name, receiver }, check)) return lowerCheck(fn, node, name, { ...check, args, cleanUp });
  cleanUp?.aside();
  for (const arg of args) if (arg.kind === 'call') arg.use = 'operand';
  const { value } = check ?? {};
  if (constructsRaii(text, args)) return construct(fn, node, text, args);
  if (value?.kind !== 'call') return emitCall(fn, node, { name, callee: text, receiver, args, launch, form: 'call' });
  const given = value.params.map((i) => (i === undefined ? undefined : args[i]) ?? other(node, []));
  return emitCall(fn, node, { name: lastComponent(value.name), callee: value.name, receiver: undefined, args: given, launch, form: 'call' });
}

function lowerMacroLaunch(fn: CFunction, node: Node, kernel: string, config: Node): Expr {
  const launch = named(field(config, 'arguments')).map((child) => fn.expr(child));
  const { args } = argumentsOf(fn, node, kernel);
  return emitCall(fn, node, { name: lastComponent(kernel), callee: kernel, receiver: undefined, args, launch, form: 'call' });
}

/** What a macro does only when what it examines failed. */
interface CleanUp {
  /** Here and now. */
  run(): void;
  /** On a way of its own that comes back. */
  aside(): void;
}

/**
 * `CHECK_WITH_CLEANUP(f(), close(fd))`: a function evaluates all of its arguments, a macro those behind the call that it examines when it
 * likes to, and they are there to be evaluated when that failed. Comparisons need both sides.
 */
function argumentsOf(fn: CFunction, node: Node, callee: string): { args: Expr[]; cleanUp: CleanUp | undefined } {
  const args: Expr[] = [];
  const later: Node[] = [];
  const applied = fn.context.consequenceOf(callee)?.applies ? application(fn, node) : undefined;
  if (applied) return { args: [applied], cleanUp: undefined };
  const isMacro = /^[A-Z][A-Z0-9_]*$/.test(callee) && !/(^|_)(EQ|NE|LT|LE|GT|GE|MIN|MAX)(_|$)/.test(callee);
  for (const child of named(field(node, 'arguments'))) {
    const isLater = isMacro && args.some((each) => callsIn(each)) && hasEffect(child);
    if (isLater) later.push(child);
    args.push(isLater ? other(child, []) : fn.expr(child));
  }
  const examined = args.find((each) => callsIn(each));
  if (!examined || later.length === 0) return { args, cleanUp: undefined };
  const run = () => {
    for (const each of later) fn.expr(each);
  };
  const aside = () => {
    const [failed, done] = [fn.body.newBlock(), fn.body.newBlock()];
    fn.body.branch({ kind: 'success', of: examined, span: spanOf(node) }, done, failed);
    fn.body.startAt(failed);
    run();
    fn.body.enter(done);
  };
  return { args, cleanUp: { run, aside } };
}

/** `CALL(cuCtxPushCurrent, context)` of a macro that calls what it is given. */
function application(fn: CFunction, node: Node): Call | undefined {
  const [callee, ...rest] = named(field(node, 'arguments'));
  if (!callee || !/identifier$/.test(callee.type)) return undefined;
  const text = fn.context.squeezed(callee);
  const args = rest.map((each) => fn.expr(each));
  return emitCall(fn, node, { name: lastComponent(text), callee: text, receiver: undefined, args, launch: undefined, form: 'call' });
}

/** `PFN_cuCtxPopCurrent(dlsym(library, "cuCtxPopCurrent"))` converts a pointer. */
function isPointerCast(fn: CFunction, name: string, args: readonly Expr[]): boolean {
  const [only] = args;
  return /^PFN_?/.test(name) && args.length === 1 && only?.kind === 'call' && /sym|addr|proc|load|get/i.test(only.name) && !fn.isVariable(name);
}

/**
 * A function or macro whose value is used makes something of its own out of the status, which its body tells, or nobody. A macro that
 * nobody sees hands the status on where the code goes on to look at it; as a condition it may mean success or failure.
 */
function makesOwn(fn: CFunction, node: Node, { name, receiver }: Pick<Call, 'name' | 'receiver'>, { consequence, value }: Check): boolean {
  if (fn.statementNode === node || (consequence !== 'unknown' && consequence !== 'log')) return false;
  if (value) return value.kind === 'own' || value.kind === 'call';
  return consequence === 'unknown' && (receiver !== undefined || /[a-z]/.test(name) || fn.conditionNode === node);
}

/** `vk::FenceCreateInfo(flags)` and `vk::FenceCreateInfo().setPNext(&x)` are brace lists in other words. */
function hppStructOf(
  fn: CFunction,
  node: Node,
  { name, callee, receiver, args }: Pick<Call, 'name' | 'callee' | 'receiver' | 'args'>,
): Expr | undefined {
  if (isPlainHppStruct(callee) || (args.length === 0 && isHppStruct(callee))) return hppStruct(node, callee, args);
  const field = args.length === 1 && receiver?.kind === 'init' && receiver.type?.startsWith('vk::') ? setField(name) : undefined;
  if (!field || receiver?.kind !== 'init' || fn.context.language === 'python') return undefined;
  const order = fieldOrder(receiver.type!) ?? [];
  const before = receiver.entries.map((entry, i) => ({ ...entry, field: entry.field ?? order[i] ?? 'pNext' }));
  return { ...receiver, entries: [...before.filter((entry) => entry.field !== field), { field, value: args[0]! }], span: spanOf(node) };
}

/** `pNext` of `setPNext`, `handleType` of `setHandleType`. */
function setField(name: string): string | undefined {
  const set = /^set([A-Z]\w*)$/.exec(name)?.[1];
  return set && set[0]!.toLowerCase() + set.slice(1);
}

function isHppStruct(type: string): boolean {
  return type.startsWith('vk::') && fieldOrder(type) !== undefined;
}

/** Constructors of vulkan.hpp take the fields in order; structs with counts have others that take ranges. */
export function isPlainHppStruct(type: string): boolean {
  const order = type.startsWith('vk::') ? fieldOrder(type) : undefined;
  return order !== undefined && order.length > 0 && !order.some((name) => name.endsWith('Count'));
}

export function hppStruct(node: Node, type: string, args: readonly Expr[]): Expr {
  return { kind: 'init', type, entries: args.map((value) => ({ field: undefined, value })), span: spanOf(node) };
}

/** `vk::raii::Buffer(device, info)` creates; with one argument it copies, moves or is empty. */
export function constructsRaii(type: string, args: readonly unknown[]): boolean {
  return args.length > 1 && /^(const )?(vk::)?raii::[A-Z]\w*$/.test(type);
}

/** `T x(a)` and `T(a)`. */
export function construct(fn: CFunction, node: Node, written: string, args: readonly Expr[]): Call {
  const type = written.replace(/^const /, '');
  return emitCall(fn, node, { name: type, callee: type, receiver: undefined, args, launch: undefined, form: 'construct' });
}

/** `(*table.fn)(x)`, `makeFn()(x)`: the callee is an expression of its own. */
function calledExpression(fn: CFunction, callee: Node): Expr | undefined {
  return /identifier$|template_function|primitive_type/.test(callee.type) ? undefined : fn.expr(callee);
}

export function lastComponent(text: string): string {
  const plain = text.replace(/^\(\*?|\)$/g, '');
  const name = withoutLastTemplate(plain);
  return /(?<![~\w])[~\w]+$/.exec(name)?.[0] ?? name;
}

type Shape = Pick<Call, 'name' | 'callee' | 'receiver' | 'args' | 'launch' | 'form'>;

export function emitCall(fn: CFunction, node: Node, shape: Shape): Call {
  const { name, callee, receiver, args, launch, form } = shape;
  const typeOf = (of: string) => typeOfCallee(fn, of, receiver !== undefined);
  const bound = fn.context.knowledge.bind({ name, callee, receiver, args, form, keywords: noKeywords, typeOf, language: fn.context.language });
  const api = bound?.spelling === 'hpp' && isOtherObject(fn, receiver) ? undefined : bound;
  const call = fn.body.emit<Call>({
    kind: 'call',
    name,
    callee,
    receiver,
    args,
    launch,
    form,
    keywords: noKeywords,
    result: undefined,
    use: 'operand',
    check: undefined,
    api,
    span: spanOf(node),
  });
  if (api) api.call = call;
  if (fn.context.knowledge.neverReturns(name) || raises(name, args)) fn.body.abort();
  return call;
}

/** PostgreSQL jumps out of everything from this level on; `report(EXIT_NORETURN, ...)` says itself that it ends the process. */
function raises(name: string, [level]: readonly Expr[]): boolean {
  const how = symbolOf(level) ?? '';
  return (/^(elog|ereport)$/.test(name) && /^(ERROR|FATAL|PANIC)$/.test(how)) || /(^|_)NO_?RETURN$/.test(how);
}

const hppObjects =
  /\bvk::|\bauto\b|^(Unique|Shared)?(Instance|PhysicalDevice|Device|Queue|CommandBuffer|CommandPool|Fence|Semaphore|DeviceMemory|Image|ImageView|Buffer|Event|QueryPool|DescriptorPool|Swapchain|Surface)(KHR|EXT)?$/;

/** `upload.submit()` of an object whose declared type is none of vulkan.hpp's, or a class of this file. */
function isOtherObject(fn: CFunction, receiver: Expr | undefined): boolean {
  const path = pathOf(receiver);
  if (!path || path.kind === 'global') return false;
  if (path.kind === 'this' && path.steps.length === 0) return true;
  const fields = path.steps.filter((step) => step.startsWith('.')).map((step) => step.slice(1));
  let type = path.kind === 'this' ? fn.fieldType(fields.shift() ?? '') : fn.scopes.typeOf(path.root);
  for (const name of fields) type = type && fn.context.fieldsOf(bareType(type)).find((each) => each.name === name)?.type;
  if (!type || /^[A-Z]?$/.test(bareType(type))) return false;
  return fn.context.isClass(bareType(type)) || !hppObjects.test(bareType(type));
}

/** As a type of pointer: of what the variable is looked up as, where its own type does not tell. */
function typeOfCallee(fn: CFunction, name: string, isMember: boolean): string | undefined {
  const declared = (isMember ? fn.context.pointerField(name) : undefined) ?? fn.scopes.typeOf(name) ?? fn.fieldType(name);
  if (declared && functionPointer.test(declared)) return declared;
  const known = fn.context.lookedUp(name);
  return known ? `PFN_${known}` : declared;
}

const noKeywords: ReadonlyMap<string, Expr> = new Map();

/** The argument that a check macro or checking function examines, if this call is one. */
function checkedArgument(fn: CFunction, name: string, args: readonly Expr[]): (Check & { arg: Expr }) | undefined {
  const check = fn.context.consequenceOf(name);
  if (!check) return undefined;
  const tested = args.find((candidate) => callsIn(candidate));
  const inner = tested && callsIn(tested);
  if (inner && (check.believed || hasStatus(inner.api?.api))) return { ...check, arg: tested };
  // `checkLastError("after the launch")` examines something that is not written here.
  return check.believed && args[0] && args[0].kind !== 'string' ? { ...check, arg: args[0] } : undefined;
}

/** `CHECK(f())` becomes a branch on the success of `f()` whose failing side does what the macro does. */
function lowerCheck(
  fn: CFunction,
  node: Node,
  name: string,
  check: Check & { arg: Expr; args: readonly Expr[]; cleanUp: CleanUp | undefined },
): Expr {
  const { consequence: written, value, arg, args, cleanUp, returned } = check;
  // A macro whose value is used hands the status on instead of ending the function.
  const consequence = written === 'unknown' && fn.statementNode !== node ? 'log' : written;
  const inner = callsIn(arg);
  if (inner) {
    inner.use = 'tested';
    inner.check = { name, consequence };
  }
  if (consequence === 'log') {
    cleanUp?.aside();
    return fn.statementNode === node ? arg : valued(node, value, arg);
  }
  const [ok, failed] = [fn.body.newBlock(), fn.body.newBlock()];
  const test: SuccessExpr = { kind: 'success', of: arg, span: spanOf(node) };
  fn.body.branch(test, ok, failed);
  fn.body.startAt(failed);
  cleanUp?.run();
  follow(fn, node, name, {
    consequence,
    value: typeof returned === 'number' ? args[returned] : returned === undefined ? undefined : constant(fn, node, returned),
  });
  fn.body.startAt(ok);
  return arg;
}

/** `OK(f())` as a value. */
function valued(node: Node, value: Check['value'], arg: Expr): Expr {
  if (value?.kind !== 'ok' && value?.kind !== 'failed') return arg;
  const span = spanOf(node);
  const ok: SuccessExpr = { kind: 'success', of: arg, span };
  return value.kind === 'ok' ? ok : { kind: 'unary', op: '!', operand: ok, span };
}

/** What a name or number in the body of a macro means where the macro stands. */
function constant(fn: CFunction, node: Node, text: string): Expr {
  if (/^-?\d+$/.test(text)) return { kind: 'number', value: Number(text), span: spanOf(node) };
  return text.includes('::') ? { kind: 'path', path: { root: text, kind: 'global', steps: [] }, span: spanOf(node) } : meaningOf(fn, node, text);
}

function follow(fn: CFunction, node: Node, name: string, { consequence, value }: { consequence: Consequence; value: Expr | undefined }): void {
  const span = spanOf(node);
  if (consequence === 'throw') {
    fn.body.emit({ kind: 'throw', value: undefined, span });
    fn.body.raise(span);
  } else if (consequence === 'return') {
    fn.body.emit({ kind: 'return', value, span });
    fn.body.leave(span);
  } else if (consequence === 'goto') {
    fn.body.jump(fn.body.label(fn.context.labelOf(name) ?? 'error'));
  } else {
    fn.body.abort();
  }
}

export function lowerNew(fn: CFunction, node: Node): Expr {
  const type = fn.context.squeezed(field(node, 'type'));
  const argNode = field(node, 'arguments');
  const args = argNode?.type === 'initializer_list' ? [init(fn, argNode, type)] : named(argNode).map((child) => fn.expr(child));
  return emitCall(fn, node, { name: type, callee: `new ${type}`, receiver: undefined, args, launch: undefined, form: 'new' });
}

export function lowerDelete(fn: CFunction, node: Node): Expr {
  const args = named(node).map((child) => fn.expr(child));
  return emitCall(fn, node, { name: 'delete', callee: 'delete', receiver: undefined, args, launch: undefined, form: 'delete' });
}
