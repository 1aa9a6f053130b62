// Questions about paths and expressions. Pure; no knowledge of any API.
import type { Call, Event } from './events';
import type { Expr, Path } from './expr';
import type { FunctionFacts, Variable } from './functions';

/** A key under which equal paths are equal. */
export function pathKey(path: Path): string {
  return path.root + path.steps.join('');
}

/** A path as a reader would write it: `fd_` for a field of `this`. */
export function pathText(path: Path): string {
  return pathKey(path).replace(/^this\./, '');
}

/** Casts removed, `std::move(x)`, `int(x)` and `static_cast<T>(x)` included. */
export function stripCasts(expr: Expr): Expr {
  if (expr.kind === 'cast') return stripCasts(expr.operand);
  if (expr.kind === 'call' && /^(std::)?(move|forward|addressof)\b/.test(expr.callee) && expr.args.length === 1) return stripCasts(expr.args[0]!);
  return expr;
}

/** The path an expression names: casts, `&x`, a dereference of `&x` and `x.get()`/`*x` removed. */
export function pathOf(expr: Expr | undefined): Path | undefined {
  if (!expr) return undefined;
  const bare = stripCasts(expr);
  if (bare.kind === 'path') return bare.path;
  if (bare.kind === 'unary' && (bare.op === '&' || bare.op === '*')) return pathOf(bare.operand);
  if (bare.kind === 'call' && bare.args.length === 0 && bare.receiver && /^(get|data|Get|value)$/.test(bare.name)) return pathOf(bare.receiver);
  return undefined;
}

/** The object that a setter of vulkan.hpp writes to: setters give it back, so that a chain of them writes to what it begins with. */
export function setterTarget({ receiver }: Call): Expr | undefined {
  return receiver?.kind === 'call' && /^set[A-Z]/.test(receiver.name) ? setterTarget(receiver) : receiver;
}

/** `x` of `&x`, casts removed. */
export function addressOf(expr: Expr | undefined): Path | undefined {
  const bare = expr && stripCasts(expr);
  return bare?.kind === 'unary' && bare.op === '&' ? pathOf(bare.operand) : undefined;
}

/** The last component of a plain name: `eOpaqueFd` of `vk::ExternalMemoryHandleTypeFlagBits::eOpaqueFd`, `CUDA_SUCCESS`, `Device.CPU` to `CPU`. */
export function symbolOf(expr: Expr | undefined): string | undefined {
  const bare = expr && stripCasts(expr);
  if (bare?.kind !== 'path') return undefined;
  const last = bare.path.steps.at(-1) ?? bare.path.root;
  return last.replace(/^\./, '').split(/::|\./).at(-1);
}

export function extend(path: Path, ...steps: string[]): Path {
  return { ...path, steps: [...path.steps, ...steps] };
}

/** Name of the last field or of the root: `fd` for `d.handle.fd` and for `fd`. */
export function lastName(path: Path): string {
  const named = path.steps.filter((step) => step.startsWith('.'));
  return named.length > 0 ? named.at(-1)!.slice(1) : path.root;
}

/** What the last step is taken of: `frame` of `frame.fd`, `slots` of `slots[i]`. */
export function withoutLast(path: Path): Path {
  return { ...path, steps: path.steps.slice(0, -1) };
}

/** True when `inner` is `outer` or lies inside it. */
export function isWithin(inner: Path, outer: Path): boolean {
  return inner.root === outer.root && outer.steps.every((step, i) => inner.steps[i] === step);
}

export function samePath(a: Path | undefined, b: Path | undefined): boolean {
  return !!a && !!b && pathKey(a) === pathKey(b);
}

const variables = new WeakMap<FunctionFacts['locals'], ReadonlyMap<string, Variable | undefined>>();

/** By name, a parameter before a local; nothing for a name that blocks declare with different types. */
function variablesOf({ locals, params }: FunctionFacts): ReadonlyMap<string, Variable | undefined> {
  let known = variables.get(locals);
  if (!known) {
    const named = new Map<string, Variable | undefined>();
    for (const each of locals) named.set(each.name, named.has(each.name) && named.get(each.name)?.type !== each.type ? undefined : each);
    for (const each of params) named.set(each.name, each);
    known = named;
    variables.set(locals, known);
  }
  return known;
}

/** The local or parameter that the root of a path means. */
export function declarationOf(fn: FunctionFacts, { declared, root }: Path): Variable | undefined {
  return declared ?? variablesOf(fn).get(root);
}

/** The expressions right inside one. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'unary':
    case 'cast':
      return [expr.operand];
    case 'binary':
      return [expr.left, expr.right];
    case 'conditional':
      return [expr.test, expr.yes, expr.no];
    case 'init':
      return expr.entries.map((entry) => entry.value);
    case 'member':
      return [expr.object];
    case 'success':
      return [expr.of];
    case 'other':
      return expr.operands;
    case 'string':
      return expr.parts;
    case 'call':
      return [...(expr.receiver ? [expr.receiver] : []), ...expr.args, ...expr.keywords.values(), ...(expr.launch ?? [])];
    default:
      return [];
  }
}

/** The expression and everything inside it, nested calls included; bodies of lambdas are not entered. */
export function walk(expr: Expr): readonly Expr[] {
  const all: Expr[] = [];
  // By hand: calls within calls would not reach the end of deep expressions.
  const left = [expr];
  for (let next = left.pop(); next; next = left.pop()) {
    all.push(next);
    const children = childrenOf(next);
    for (let i = children.length - 1; i >= 0; i--) left.push(children[i]!);
  }
  return all;
}

/** The expressions that an event evaluates. Nested calls are events of their own as well. */
export function expressionsOf(event: Event): readonly Expr[] {
  switch (event.kind) {
    case 'call':
      return [event];
    case 'assign':
      return event.value ? [event.target, event.value] : [event.target];
    case 'test':
    case 'access':
      return [event.expr];
    case 'return':
    case 'throw':
      return event.value ? [event.value] : [];
    case 'scopeBegin':
      return event.target ? [event.context, event.target] : [event.context];
    case 'scopeEnd':
      return event.context ? [event.context] : [];
    default:
      return [];
  }
}

/** True when the expression reads `path` or something inside it. */
export function mentions(expr: Expr | undefined, path: Path): boolean {
  if (!expr) return false;
  for (const inner of walk(expr)) if (inner.kind === 'path' && isWithin(inner.path, path)) return true;
  return false;
}
