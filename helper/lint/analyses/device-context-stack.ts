// How deep the CUDA context stack is when a function is left, relative to its entry.
import type { Call, Event, FileFacts, FunctionFacts } from '../facts/index';
import { expressionsOf, mentions, pathOf, pathText, samePath, stripCasts, symbolOf, walk } from '../facts/paths';
import { questionOf } from '../flow/elsewhere';
import { type Machine, type Violation, violation } from '../flow/machine';
import { resolveCallee } from '../flow/program';
import type { State, Tracked } from '../flow/state';
import { isSuccessConstant, type ResultKind } from '../knowledge/index';
import { functionQuery } from '../memo/query';

export type StackCall = 'push' | 'pop';

/** A context is created, and with that pushed: `cuCtxCreate`, `cuD3D9CtxCreate`, pycuda's `device.make_context()`. */
export function makesContext(call: Call): boolean {
  return /^cu\w*CtxCreate/.test(call.api?.name ?? '') || (call.name === 'make_context' && call.receiver !== undefined && call.result !== undefined);
}

/** `cuCtxPushCurrent`, in Python too, creations, pycuda's `ctx.push()` and `Context.pop()`. */
export function stackCall(call: Call): StackCall | undefined {
  if (call.api?.does('push') && /^cu\w*Ctx/.test(call.api.name)) return 'push';
  if (call.api?.does('pop') && call.api.name.startsWith('cuCtx')) return 'pop';
  if (makesContext(call)) return 'push';
  const bound = call.api === undefined && call.receiver ? /^(?:cu|hip)Ctx(Push|Pop)Current(?:_v2)?$/.exec(call.name) : null;
  if (bound) return bound[1] === 'Push' ? 'push' : 'pop';
  if (call.api || call.args.length > 0 || !call.receiver) return undefined;
  const path = pathOf(call.receiver);
  const isContext = path !== undefined && /(ctx|context)\w*$/i.test(pathText(path));
  return isContext && (call.name === 'push' || call.name === 'pop') ? call.name : undefined;
}

/** `assert(cuCtxPopCurrent(&old) == CUDA_SUCCESS)`, where a build without asserts leaves the call out. */
export function assertedMoves(file: FileFacts, fn: FunctionFacts): Call[] {
  const asserted = fn.events.flatMap((event) => {
    if (event.kind !== 'test' || !/^assert\s*\(/.test(file.source(event.span))) return [];
    return [...walk(event.expr)].filter((part): part is Call => part.kind === 'call' && stackCall(part) !== undefined);
  });
  const isKept = asserted.length > 0 && file.directives.some(({ kind, name }) => kind === 'undef' && name === 'NDEBUG');
  return isKept ? [] : asserted;
}

const stack = -1;
const key = '#contexts';
/** There is one stack for each thread: whoever is told of it needs no argument. */
const contexts = { root: 'this', steps: key } as const;

/** The depth that a state of the tracked object stands for. */
export function depthOf(object: Tracked): number {
  return Number(object.state);
}

function depth(state: State): Tracked {
  const known = state.objects.get(stack);
  if (known) return known;
  const fresh: Tracked = { id: stack, state: '0', history: [], via: undefined, origin: undefined, escaped: false };
  state.objects.set(stack, fresh);
  state.bindings.set(key, { k: 'obj', id: stack });
  return fresh;
}

/** Deeper than this, in either direction, a loop is at work. */
const maxDepth = 4;

function shift(state: State, by: number, at: Event, via?: number): State {
  const object = depth(state);
  if (Math.abs(depthOf(object) + by) > maxDepth) state.escape(stack);
  state.move(stack, String(depthOf(object) + by), at, via);
  return state;
}

/**
 * Reports each way out as a violation of kind `left` whose object's state is the depth. The failure of a push whose result is looked at
 * is a way of its own.
 */
export const contextStack: Machine = {
  name: 'context-stack',
  neutral: new Set(['0']),
  concerns: (call) => stackCall(call) !== undefined,
  call(call, state, report, file) {
    const known = stackCall(call);
    if (known === 'push') return push(call, state, report);
    if (known === 'pop') return [shift(state, -1, call)];
    const by = stackEffect(file, call);
    const callee = by === 1 && call.use !== 'ignored' ? resolveCallee(file, call) : undefined;
    const told = callee && tellsOfPush(callee);
    if (told === 'somehow') return [doubtful(call, state)];
    if (told) return outcomesOf(call, told, state);
    if (by === 'unsure') {
      depth(state);
      state.escape(stack);
    } else if (by !== 0) shift(state, by, call);
    return resolveCallee(file, call) || by === 0 ? undefined : [state];
  },
  tellOthers(file, fn) {
    const by = netEffect(file, fn);
    const move = { place: contexts, state: String(by), history: [], escaped: by === 'unsure' || tellsOfPush(fn) !== undefined };
    return by === 0 ? undefined : [{ returned: undefined, requires: [], moves: [move], binds: [], handed: [] }];
  },
  leave(state, how, _fn, report) {
    const object = state.objects.get(stack);
    const at = state.leaving ?? object?.history.at(-1)?.at;
    if (object && !object.escaped && at)
      report({ ...violation(state.leaving ? how : 'end', object, at), object: { ...object, id: exitId(object, state) } });
  },
};

/** Ways out with different depths are different findings. */
function exitId(object: Tracked, state: State): number {
  return depthOf(object) * 1000 + (state.leaving ? 1 : 0);
}

function push(call: Call, state: State, report: (violation: Violation) => void): State[] {
  const before = depth(state);
  const last = before.history.at(-1);
  if (!before.escaped && depthOf(before) > 0 && last?.at === call) report(violation('again', before, call));
  if (isTakenToSucceed(call) || !call.api || call.api.api.result === 'object') return [shift(state, 1, call)];
  return outcomesOf(call, call.api.api.result, state);
}

/** The push succeeded, or it did not. */
function outcomesOf(call: Call, result: ResultKind, state: State): State[] {
  const failed = state.clone();
  depth(failed);
  // Where the outcome is examined by something that nobody can follow, the depth depends on it.
  shift(state, 1, call, call.id);
  shift(failed, 0, call, call.id);
  state.results.set(call.id, { k: 'status', call: call.id, ok: true, result });
  failed.results.set(call.id, { k: 'status', call: call.id, ok: false, result });
  return [state, failed];
}

/** `bool enter() { return cuCtxPushCurrent(c_) == CUDA_SUCCESS; }`: what the helper returns tells whether it has pushed. */
function tellsOfPush({ calls, events }: FunctionFacts): ResultKind | 'somehow' | undefined {
  const push = calls.find((each) => stackCall(each) === 'push');
  const returned = events.flatMap((event) => (event.kind === 'return' && event.value ? [stripCasts(event.value)] : []));
  if (!push || isTakenToSucceed(push) || returned.length === 0) return undefined;
  const [value, ...more] = returned;
  if (more.length > 0) return 'somehow';
  if (value === push) return push.api?.api.result;
  const parts = value!.kind === 'binary' && /^[=!]=$/.test(value!.op) ? [value!.left, value!.right].map(stripCasts) : [];
  if (!parts.includes(push) || !parts.some((part) => isSuccessConstant(symbolOf(part) ?? ''))) return 'somehow';
  return value!.kind === 'binary' && value!.op === '==' ? 'bool' : 'errno';
}

/** Whoever asks how the helper went knows whether it has pushed, and nobody else does. */
function doubtful(call: Call, state: State): State {
  shift(state, 1, call, call.id);
  state.results.set(call.id, { k: 'taint', calls: [call.id] });
  return state;
}

/** Nobody looks at the result, or it is handed to something that logs, and the function goes on all the same. */
function isTakenToSucceed(call: Call): boolean {
  if (call.check && call.check.consequence !== 'log' && call.check.consequence !== 'unknown') return false;
  if (call.use !== 'tested' && call.use !== 'operand') return call.use === 'ignored' || isOverwritten(call);
  return !call.fn.events.some((event) => event.kind !== 'call' && expressionsOf(event).some((root) => [...walk(root)].includes(call)));
}

/** `status = push(); status = next();`: the variable is written again before anybody looks at it. */
function isOverwritten(call: Call): boolean {
  const { result } = call;
  if (!result) return false;
  const writes = (event: Event) => event.kind === 'assign' && event.op === '=' && samePath(pathOf(event.target), result);
  const reads = (event: Event) => expressionsOf(event).some((expr) => !(writes(event) && pathOf(expr)) && mentions(expr, result));
  const isOwn = (event: Event) => event.kind === 'assign' && event.value === call;
  const next = call.fn.events.find((event) => event.id > call.id && !isOwn(event) && (writes(event) || reads(event)));
  return next !== undefined && next.block === call.block && writes(next) && !reads(next);
}

/** What a callee does to the depth on every way, told from its own calls; `unsure` when it depends. */
const netEffect = functionQuery((file, fn) => effectOfBody(file, fn, []));

function effectOfBody(file: FileFacts, fn: FunctionFacts, callers: readonly FunctionFacts[]): number | 'unsure' {
  if (callers.includes(fn)) return 'unsure';
  let sum: number | 'unsure' = 0;
  for (const call of fn.calls) {
    const by = effectOf(file, call, [...callers, fn]);
    if (by !== 0) sum = typeof sum === 'number' && typeof by === 'number' && call.block === fn.entry ? sum + by : 'unsure';
  }
  return sum;
}

function effectOf(file: FileFacts, call: Call, callers: readonly FunctionFacts[]): number | 'unsure' {
  const own = stackCall(call);
  if (own) return own === 'push' ? 1 : -1;
  const callee = call.api || callers.length > 3 ? undefined : resolveCallee(file, call);
  return callee ? effectOfBody(file, callee, callers) : effectElsewhere(file, call);
}

/** What a function of another file does, on every way. */
function effectElsewhere(file: FileFacts, call: Call): number | 'unsure' {
  if (call.api || !file.namesElsewhere(contextStack.name).has(call.name)) return 0;
  const question = questionOf(file, call, contextStack.name);
  const told = question && file.effectsElsewhere(question)?.outcomes;
  const [move] = told?.flatMap(({ moves }) => moves) ?? [];
  return !move ? 0 : move.escaped ? 'unsure' : Number(move.state);
}

/** What a call does to the depth: by itself, by a function of this file, or by one of another. */
export function stackEffect(file: FileFacts, call: Call): number | 'unsure' {
  const own = stackCall(call);
  if (own) return own === 'push' ? 1 : -1;
  const callee = call.api ? undefined : resolveCallee(file, call);
  return callee ? netEffect(file, callee) : effectElsewhere(file, call);
}
