// What events other than known API calls do to a state.

import type { Assign, Call, Event, Expr, FileFacts, InitExpr, Path, Return } from '../facts/index';
import { declarationOf, extend, pathKey, pathOf, setterTarget, stripCasts, symbolOf } from '../facts/paths';
import { fieldOrder, unionFirst } from '../knowledge/index';
import { own } from '../own';
import { asksForValue, callsBehind, evaluate } from './evaluate';
import type { Machine } from './machine';
import type { State } from './state';

const zero = { k: 'num', n: 0 } as const;

export function applyAssign(event: Assign, state: State, file: FileFacts, machine?: Machine): void {
  if (event.value && event.op === '=') trackSources(event, event.target, event.value, state, machine);
  if (event.target.kind !== 'path') return;
  const key = state.resolve(event.target.path);
  if (event.op !== '=') {
    state.forget(key);
    return;
  }
  if (event.declares?.type.endsWith('&')) {
    bindReference(event, state);
    return;
  }
  if (!event.value) {
    state.forget(key);
    return;
  }
  const value = stripCasts(event.value);
  if (value.kind === 'init') {
    assignInit(key, value, value.type ?? event.declares?.type, state, file);
    return;
  }
  const copied = value.kind === 'path' ? state.resolve(value.path) : undefined;
  const parts = copied ? state.keysInside(copied).map((each) => [each.slice(copied.length), state.bindings.get(each)!] as const) : [];
  const result = evaluate(value, state);
  // `fd = given < 0 ? -1 : dup(given)`: which one it is nobody knows, but it lives on in the target.
  if (!result && value.kind === 'conditional') escapeExpr(value, state);
  state.bind(key, result ?? taintOf(value, state));
  for (const [rest, part] of parts) if (rest !== '') state.bindings.set(key + rest, part);
}

/** What a caller is given out of a field is the thing in the field. */
export function trackReturned(at: Return, state: State, machine: Machine): void {
  const bare = at.value && stripCasts(at.value);
  const isField = bare?.kind === 'path' && bare.path.steps.length > 0 && /^(this|param)$/.test(bare.path.kind);
  if (isField) trackSources(at, bare, bare, state, machine);
}

/** Lets the machine name unknown things that are copied, so that both paths mean the same object afterwards. */
function trackSources(event: Event, target: Expr, value: Expr, state: State, machine: Machine | undefined): void {
  if (!machine?.track || target.kind !== 'path') return;
  const bare = stripCasts(value);
  if (bare.kind === 'init') {
    for (const entry of bare.entries) {
      const inner = entry.field ? { ...target, path: extend(target.path, `.${entry.field}`) } : { ...target, path: extend(target.path, '[]') };
      trackSources(event, inner, entry.value, state, machine);
    }
    return;
  }
  if (bare.kind !== 'path' || evaluate(bare, state) || bare.path.steps.length > 4) return;
  const first = machine.track(target.path, bare.path);
  if (first !== undefined) trackPath(bare.path, first, event, state);
}

/** So many objects that begin at one event are told apart. */
const maxRounds = 4;

/** Begins to track what a path holds. Returns the object's id. */
export function trackPath(path: Path, first: string, at: Event, state: State): number {
  const key = state.resolve(path);
  const id = at.id * 16 + 8;
  let free = id;
  // A loop begins again and again: what got out of sight in one round tells nothing in the next, and some rounds tell of all.
  for (let known = state.objects.get(free); known; known = state.objects.get(++free)) {
    const isLast = free === id + maxRounds - 1;
    if (isLast) state.escape(free);
    if (!isLast && !(known.escaped && known.origin && pathKey(known.origin) === pathKey(path))) continue;
    state.bind(key, { k: 'obj', id: free });
    return free;
  }
  state.objects.set(free, { id: free, state: first, via: undefined, origin: path, escaped: false, history: [] });
  state.bind(key, { k: 'obj', id: free });
  return free;
}

/** A value made of several things keeps at least its dependence on the outcome of calls. */
function taintOf(value: Expr, state: State) {
  if (value.kind !== 'conditional' && value.kind !== 'other' && value.kind !== 'binary') return undefined;
  const parts =
    value.kind === 'conditional' ? [value.test, value.yes, value.no] : value.kind === 'binary' ? [value.left, value.right] : value.operands;
  const calls = parts.flatMap((part) => callsBehind(evaluate(part, state)));
  return calls.length > 0 ? ({ k: 'taint', calls } as const) : undefined;
}

function bindReference(event: Assign, state: State): void {
  const target = event.target as Expr & { kind: 'path' };
  const to = event.value && pathOf(event.value);
  state.bind(pathKey(target.path), to && { k: 'addr', key: state.resolve(to) });
}

function assignInit(key: string, init: InitExpr, type: string | undefined, state: State, file: FileFacts): void {
  const values = init.entries.map((entry) => evaluate(entry.value, state));
  state.forget(key);
  const order = (type && (fieldOrder(type) ?? file.classNamed(type)?.fields.map((field) => field.name))) || undefined;
  if (init.entries.length === 0) {
    state.bind(key, zero);
    return;
  }
  if (init.entries.length === 1 && init.entries[0]!.field === undefined && !order) {
    state.bind(key, values[0]);
    return;
  }
  const isList = isAttributeList(init);
  state.bindings.set(key, zero);
  for (const [i, entry] of init.entries.entries()) {
    if (isList) {
      bindElement(`${key}[${i}]`, entry.value, values[i], state);
      continue;
    }
    // Constructors of vulkan.hpp take pNext last.
    const name = entry.field ?? order?.[i] ?? (type?.startsWith('vk::') && i === order?.length ? 'pNext' : undefined);
    if (name === undefined) {
      escapeExpr(entry.value, state);
      state.bindings.delete(key);
    } else bindEntry(`${key}.${name}`, name, entry.value, values[i], state, file);
  }
}

/** `{EGL_WIDTH, w, EGL_DMA_BUF_PLANE0_FD_EXT, fd, EGL_NONE}`: names and values in turn. */
function isAttributeList({ entries }: InitExpr): boolean {
  return entries.some(({ field, value }) => field === undefined && /^EGL_/.test(symbolOf(value) ?? ''));
}

function bindElement(key: string, value: Expr, known: ReturnType<typeof evaluate>, state: State): void {
  if (!known) escapeExpr(value, state);
  state.bindings.set(key, known ?? { k: 'taint', calls: [] });
}

function bindEntry(key: string, name: string, value: Expr, known: ReturnType<typeof evaluate>, state: State, file: FileFacts): void {
  const first = own(unionFirst, name);
  if (value.kind === 'init' && first && value.entries.length === 1 && value.entries[0]!.field === undefined)
    state.bind(`${key}.${first}`, evaluate(value.entries[0]!.value, state));
  else if (value.kind === 'init') assignInit(key, value, value.type, state, file);
  else if (known) state.bind(key, known);
  else {
    // What the value is made of (`fd < 0 ? none : optional<int>{fd}`) lives on in it.
    escapeExpr(value, state);
    // Without a value the zero of the whole must not show through.
    state.bindings.set(key, { k: 'taint', calls: [] });
  }
}

/** Calls that neither keep nor end what they are given. */
const borrowers =
  /^(std::)?(printf|fprintf|snprintf|sprintf|fputs|puts|perror|memcpy|memmove|memcmp|to_string|format|print|println|cout|cerr|min|max|LOG\w*|log\w*|Log\w*|spdlog\w*|qDebug|ALOG\w*|assert|EXPECT_\w+|ASSERT_\w+)$/;

/** A callee of which nothing is known: what it can reach is out of our hands. */
export function applyUnknownCall(call: Call, state: State, file: FileFacts): void {
  const given = [...call.args, ...call.keywords.values()];
  const tainted = given.flatMap((arg) => callsBehind(evaluate(arg, state)));
  if (!borrowers.test(call.name)) {
    for (const arg of given) escapeExpr(arg, state, file.language !== 'c' && file.language !== 'python');
    if (call.receiver) escapeInside(call.receiver, state);
    else if (call.fn.className && call.form === 'call') escapeOwnFields(call, state, file);
  }
  if (isHiddenTest(call)) state.doubt(tainted);
  if (tainted.length > 0) state.results.set(call.id, { k: 'taint', calls: tainted });
  else state.results.delete(call.id);
}

/** `RETURN_IF_ERROR(status);`: a macro that nobody has seen may leave where a call before has failed. */
function isHiddenTest({ name, use, args }: Call): boolean {
  return use === 'ignored' && /^[A-Z][A-Z\d_]+$/.test(name) && !borrowers.test(name) && args.every((arg) => stripCasts(arg).kind === 'path');
}

/** A method of the same class whose body is elsewhere may change any field. */
function escapeOwnFields(call: Call, state: State, file: FileFacts): void {
  const isFree = file.functionsNamed(call.name).some((fn) => !fn.className) || /::|^[A-Z_0-9]+$/.test(call.callee);
  if (isFree) return;
  state.handed.add('this');
  for (const key of state.keysInside('this')) {
    const value = state.bindings.get(key);
    if (value?.k === 'obj') state.escape(value.id);
    else state.bindings.delete(key);
  }
}

/** Everything an argument hands over: the object itself, the struct it points to, the members of a brace list. */
export function escapeExpr(expr: Expr, state: State, byReference = false): void {
  const bare = stripCasts(expr);
  if (bare.kind === 'init') for (const entry of bare.entries) escapeExpr(entry.value, state);
  if (bare.kind === 'other' || bare.kind === 'conditional')
    for (const part of bare.kind === 'other' ? bare.operands : [bare.yes, bare.no]) escapeExpr(part, state);
  const value = evaluate(bare, state);
  if (value?.k === 'obj') state.escape(value.id);
  if (value?.k === 'addr') escapeKey(value.key, state);
  if (bare.kind === 'unary' && bare.op === '&') escapeInside(bare.operand, state);
  if (bare.kind === 'path') state.handed.add(state.resolve(bare.path));
  if (bare.kind === 'path' && value?.k !== 'obj' && value?.k !== 'status') escapePath(bare.path, state, byReference);
}

function escapePath(path: Path, state: State, byReference: boolean): void {
  const key = state.resolve(path);
  for (const each of state.keysInside(key)) {
    const inner = state.bindings.get(each);
    if (inner?.k === 'obj') state.escape(inner.id);
  }
  if (byReference && path.kind !== 'global') state.forget(key);
}

function escapeInside(expr: Expr, state: State): void {
  const path = pathOf(expr);
  if (path) escapeKey(state.resolve(path), state);
}

export function escapeKey(key: string, state: State): void {
  state.handed.add(key);
  for (const each of state.keysInside(key)) {
    const value = state.bindings.get(each);
    if (value?.k === 'obj') state.escape(value.id);
    else state.bindings.delete(each);
  }
}

/** Output parameters of a known API call hold something new. */
export function applyKnownCall(call: Call, state: State): void {
  for (const param of call.api!.api.params) {
    const path = param.out ? pathOf(call.api!.arg(param.name)) : undefined;
    if (path) state.forget(state.resolve(path));
  }
  state.results.delete(call.id);
}

function applyFill(call: Call, state: State): void {
  const path = pathOf(call.args[0]);
  if (!path) return;
  const key = state.resolve(path);
  const pointed = evaluate(call.args[0], state);
  if (pointed?.k === 'obj' && pointed.pointer) {
    // What the pointer points to, not the pointer.
    for (const each of state.keysInside(key)) if (each !== key) state.bindings.delete(each);
    return;
  }
  const fill = call.name === 'memset' ? evaluate(call.args[1], state) : zero;
  state.bind(key, fill?.k === 'num' ? (fill.n === 0 ? zero : { k: 'num', n: -1 }) : undefined);
}

/** Functions of the language's library whose effect on values is known. True when the call was one. */
export function applyBuiltin(call: Call, state: State, machine?: Machine): boolean {
  if (/^(memset|bzero|ZeroMemory|RtlZeroMemory)$/.test(call.name)) {
    applyFill(call, state);
    return true;
  }
  if (/^(std::)?exchange$/.test(call.callee) && call.args.length === 2) {
    const path = pathOf(call.args[0]);
    const old = evaluate(call.args[0], state);
    const next = evaluate(call.args[1], state);
    if (old) state.results.set(call.id, old);
    if (path) state.bind(state.resolve(path), next);
    return true;
  }
  if (/^(std::)?(move|forward|addressof|as_const)$/.test(call.callee) || asksForValue(call)) return true;
  return applySetter(call, state, machine);
}

/** `info.setPNext(&next)` of vulkan.hpp: an assignment to the field. */
function applySetter(call: Call, state: State, machine: Machine | undefined): boolean {
  const set = call.args.length === 1 && call.receiver ? /^set([A-Z]\w*)$/.exec(call.name)?.[1] : undefined;
  const path = set ? pathOf(setterTarget(call)) : undefined;
  const variable = path?.kind === 'local' && path.steps.length === 0 ? declarationOf(call.fn, path) : undefined;
  if (!set || !path || !variable?.type.startsWith('vk::')) return false;
  const field = extend(path, `.${set[0]!.toLowerCase()}${set.slice(1)}`);
  trackSources(call, { kind: 'path', path: field, span: call.span }, call.args[0]!, state, machine);
  state.bind(state.resolve(field), evaluate(call.args[0], state));
  return true;
}
