// What a kernel does to the memory behind a pointer that it is given, as far as its body tells.
import type { Call, Event, Expr, FileFacts, FunctionFacts } from '../facts/index';
import { childrenOf, expressionsOf, pathOf, walk } from '../facts/paths';
import { reachesWithout } from '../flow/order';
import { resolveCallee } from '../flow/program';

export interface Access {
  /** It certainly stores there. */
  readonly writes: boolean;
  /** It certainly loads from there. */
  readonly reads: boolean;
  /** It waits until somebody else changes the memory, so it is meant to run beside that. */
  readonly polls: boolean;
}

const none: Access = { writes: false, reads: false, polls: false };
const stores =
  /^(atomic(Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)\w*|__atomic_\w*(store|exchange|fetch)\w*|__st\w+|__builtin_nontemporal_store|memcpy|memset)$/;
const takes = /^(__atomic_load\w*|__builtin_nontemporal_load|__ld\w+)$/;

export function accessOf(file: FileFacts, kernel: FunctionFacts, index: number, depth = 3): Access {
  const param = kernel.params[index];
  if (!param || kernel.degraded || depth === 0) return none;
  const names = aliases(kernel, param.name);
  const isConst = /^const\b|\bconst ?\*/.test(param.type);
  const found = kernel.events.map((event) => accessIn(file, event, names, depth));
  const polls = /\bvolatile\b/.test(param.type) || found.some((each) => each.polls) || kernel.events.some((event) => isPolling(event, names));
  return { writes: !isConst && found.some((each) => each.writes), reads: isConst || found.some((each) => each.reads), polls };
}

/** The parameter and the pointers and references that are made of it. */
function aliases(kernel: FunctionFacts, param: string): ReadonlySet<string> {
  const names = new Set([param]);
  for (const event of kernel.events)
    if (event.kind === 'assign' && event.value && /[*&]$/.test(event.declares?.type ?? '') && pointsInto(event.value, names))
      names.add(event.declares!.name);
  return names;
}

/** `p`, `p + i`, `&p[i]`; `p[i]` for a reference. */
function pointsInto(expr: Expr, names: ReadonlySet<string>): boolean {
  const path = pathOf(expr);
  if (path) return names.has(path.root);
  return expr.kind === 'binary' && /^[+-]$/.test(expr.op) && (pointsInto(expr.left, names) || pointsInto(expr.right, names));
}

function accessIn(file: FileFacts, event: Event, names: ReadonlySet<string>, depth: number): Access {
  const isAlias = event.kind === 'assign' && event.declares !== undefined && names.has(event.declares.name);
  const writes = event.kind === 'assign' && !event.declares && isElement(event.target, names);
  const values = event.kind === 'assign' ? (event.value && !isAlias ? [event.value] : []) : event.kind === 'call' ? [] : expressionsOf(event);
  const reads = values.some((each) => loads(each, names));
  if (event.kind !== 'call') return { writes, reads, polls: false };
  return inCall(file, event, names, depth);
}

function inCall(file: FileFacts, call: Call, names: ReadonlySet<string>, depth: number): Access {
  const reads = call.args.some((arg) => loads(arg, names));
  const at = call.args.findIndex((arg) => pointsInto(arg, names) && !loads(arg, names));
  if (at < 0) return { writes: false, reads, polls: false };
  if (takes.test(call.name)) return { writes: false, reads: true, polls: false };
  if (stores.test(call.name)) return { writes: at === 0, reads: reads || at > 0 || isUsed(call), polls: false };
  const callee = resolveCallee(file, call);
  const inner = callee ? accessOf(file, callee, at, depth - 1) : none;
  return { ...inner, reads: reads || inner.reads };
}

/** What an atomic operation gives back is what was there. */
function isUsed({ name, use }: Call): boolean {
  return name.startsWith('atomic') && use !== 'ignored';
}

/** `p[i]`, `p->x`, `*(p + i)`; a reference stands for the element. */
function isElement(expr: Expr, names: ReadonlySet<string>): boolean {
  if (expr.kind === 'path') return names.has(expr.path.root) && expr.path.steps.length > 0;
  if (expr.kind === 'unary' && expr.op === '*') return pointsInto(expr.operand, names);
  return (expr.kind === 'other' || expr.kind === 'member') && childrenOf(expr).some((each) => pointsInto(each, names) || isElement(each, names));
}

function loads(expr: Expr, names: ReadonlySet<string>): boolean {
  if (expr.kind === 'unary' && expr.op === '&') return false;
  return isElement(expr, names) || (expr.kind !== 'call' && childrenOf(expr).some((each) => loads(each, names)));
}

/** A test that comes again and again until the memory has changed, while the kernel itself stores nothing. */
function isPolling(event: Event, names: ReadonlySet<string>): boolean {
  if (event.kind !== 'test') return false;
  const looks = [...walk(event.expr)].some((part) => part.kind === 'path' && names.has(part.path.root));
  return looks && reachesWithout(event, event, (each) => each.kind === 'assign');
}
