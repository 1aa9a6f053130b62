// Who owns a file descriptor: the machine behind the rules of the `fd/` family.
//
// States: `owned` acquired in this function · `held` somebody else's, first seen here · `transferred` adopted by a successful import ·
// `owned-failed`, `held-failed` the import failed, so the holder still has to close · `closed`.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path, Variable } from '../facts/index';
import { addressOf, extend, lastName, pathOf, stripCasts, symbolOf, walk } from '../facts/paths';
import { fieldOfInit } from '../flow/definitions';
import { applyKnownCall, escapeExpr, trackPath } from '../flow/effects';
import { evaluate } from '../flow/evaluate';
import { type Machine, type Violation, violation } from '../flow/machine';
import type { State, Value } from '../flow/state';
import { structureChain } from '../flow/structure-chains';
import { type Api, type ApiBinding, adopted, fdImports, handleType, hasStatus, type ImportShape } from '../knowledge/index';
import { guardedBy, mayCloseAtEnd } from './closing-objects';
import { duplicates, keepsDuplicateOnly } from './duplicating-constructors';
import { asAllocation, mayAllocate } from './raii-allocations';

type Report = (violation: Violation) => void;

export const fdOwnership: Machine = {
  name: 'fd-ownership',
  neutral: new Set(['held', 'owned']),
  concerns: (call) => mayAllocate(call) || (call.api !== undefined && touchesFds(call.api)),
  call(call, state, report, file) {
    if (call.name === 'glGetError') return askedGl(call, state);
    if (!call.api && keepsDuplicateOnly(file, call)) return [state];
    const allocation = call.api ? undefined : asAllocation(file, call);
    if (allocation) return importFd(allocation, fdImports.vkAllocateMemory!, state, report);
    if (!call.api) return undefined;
    if (call.api.api.consumes?.has('fd')) return consumeFd(call, state, report);
    const shape = fdImports[call.api.name];
    if (shape?.list) return importListed(call, shape.list, state, report);
    if (shape) return importFd(call, shape, state, report) ?? importHidden(state);
    if (handsOn.test(call.api.name) && !sendsCopy(call) && !duplicates(call)) for (const arg of call.args) escapeExpr(arg, state);
    if (call.api.does('close') && call.api.arg('fd')) return closeFd(call, state, report);
    if (call.api.arg('fd')) useFd(call, state, report);
    return acquires(call.api.api) ? acquireFd(call, state, report) : undefined;
  },
  moved(before, to, at, report) {
    if (before.state !== 'transferred') return;
    if (to === 'closed') report(violation('closed-after-transfer', before, at));
    if (to === 'transferred') report(violation('imported-again', before, at));
  },
  track: (target, source) => (isNamedFd(lastName(target)) || isNamedFd(lastName(source)) ? 'held' : undefined),
  lost: (object, at, report) => {
    if (object.state === 'owned' && !object.escaped) report(violation('overwritten', object, at));
  },
  leave: (state, _how, fn, report, file) => {
    for (const object of state.objects.values()) {
      const kind = leaks[object.state];
      if (kind && !object.escaped && isLocalOnly(state, object.id, fn, file))
        report(violation(kind, object, state.leaving ?? object.history.at(-1)!.at));
    }
  },
};

function touchesFds(api: ApiBinding): boolean {
  if (fdImports[api.name] !== undefined || api.api.consumes !== undefined || acquires(api.api)) return true;
  return api.does('close') && api.arg('fd') !== undefined;
}

/** Named as a descriptor, not as how many there are or of which kind. */
function isNamedFd(name: string): boolean {
  return (
    /fd|handle|descriptor_?$/i.test(name) && !/(count|num|size|len|length|index|idx|type|types|kind|flags?|info)\d*_?$|^n_?(fds|handles)/i.test(name)
  );
}

/** What it is to leave a function with a descriptor in this state that nobody else has. */
const leaks: Readonly<Record<string, string | undefined>> = { 'owned-failed': 'leak-on-failure', owned: 'leak' };

/** Known calls after which somebody else may have the number they were given. */
const handsOn = /^(memcpy|memmove|sendmsg|write|pwrite|ioctl|fcntl|dup2|dup3)$/;

/** Requests to the kernel that look at the descriptor in their struct and keep something of their own. */
const lookingRequests = /^(DMA_BUF_IOCTL_IMPORT_SYNC_FILE|DMA_BUF_IOCTL_SYNC|DRM_IOCTL_PRIME_FD_TO_HANDLE|SYNC_IOC_(MERGE|FILE_INFO))$/;

/** `memcpy(CMSG_DATA(control), &fd, sizeof fd)`: the receiver of the message gets a descriptor of its own, as the kernel does. */
export function sendsCopy({ api }: Call): boolean {
  if (api?.name === 'ioctl') return lookingRequests.test(symbolOf(api.arg('request')) ?? '');
  const to = api?.name === 'memcpy' ? api.arg('dst') : undefined;
  return to !== undefined && [...walk(to)].some((part) => part.kind === 'call' && part.name === 'CMSG_DATA');
}

/** An import whose structs nobody can follow may have taken any descriptor that lies in a struct. */
function importHidden(state: State): State[] | undefined {
  for (const object of state.objects.values()) if (state.keysOf(object.id).some((key) => /[.[]/.test(key))) state.escape(object.id);
  return undefined;
}

/** GL reports failure out of band: whoever asks may know that the import failed. */
function askedGl(call: Call, state: State): State[] {
  const calls = [...state.objects.values()].flatMap((object) => (object.state === 'transferred' && object.via !== undefined ? [object.via] : []));
  const [only] = calls;
  if (only === undefined || call.use === 'ignored') return [state];
  if (calls.length > 1) {
    state.results.set(call.id, { k: 'taint', calls });
    return [state];
  }
  // An error may also be that of a call behind the import: then nobody knows whose the descriptor is.
  const failed = state.clone();
  failed.doubt([only]);
  state.results.set(call.id, { k: 'status', call: only, ok: true, result: 'errno' });
  failed.results.set(call.id, { k: 'status', call: only, ok: false, result: 'errno' });
  return [state, failed];
}

function acquires(api: Api): boolean {
  return api.result === 'fd' || api.params.some((param) => param.name === 'fd' && param.out);
}

/** A new descriptor, by result or through a pointer; and the state in which the call failed, where the code can tell. */
function acquireFd(call: Call, state: State, report: Report): State[] {
  const id = call.id * 16;
  const path = call.api!.api.result === 'fd' ? undefined : call.api!.path('fd');
  const again = state.objects.get(id);
  if (again?.state === 'owned' && !again.escaped) report(violation('reacquired', again, call));
  applyKnownCall(call, state);
  const failed = state.clone();
  // Where the outcome is examined by something that nobody can follow, the descriptor may not exist.
  const via = call.use === 'ignored' ? undefined : call.id;
  state.objects.set(id, { id, state: 'owned', via, origin: undefined, escaped: false, history: [{ state: 'owned', at: call }] });
  const object: Value = { k: 'obj', id };
  if (call.api!.api.result === 'fd') {
    state.results.set(call.id, object);
    failed.results.set(call.id, { k: 'num', n: -1 });
    return [state, failed];
  }
  // vulkan.hpp returns it.
  if (path && !call.api!.arg('fd')) state.results.set(call.id, object);
  else if (path) state.bind(state.resolve(writtenTo(call.api!.arg('fd')) ?? path), object);
  else state.objects.delete(id);
  if (call.api!.spelling === 'hpp' && !call.api!.arg('fd')) return [state];
  if (call.use === 'ignored' || !hasStatus(call.api!.api)) return [state];
  return outcomes(call, state, failed);
}

/** `x` of `&x`, and `*out` where a function hands on a pointer that it was given itself. */
function writtenTo(arg: Expr | undefined): Path | undefined {
  const pointer = arg && stripCasts(arg).kind === 'path' ? pathOf(arg) : undefined;
  return pointer ? extend(pointer, '*') : addressOf(arg);
}

/** Writes the status of both outcomes down. */
function outcomes(call: Call, ok: State, failed: State): State[] {
  const { result } = call.api!.api;
  ok.results.set(call.id, { k: 'status', call: call.id, ok: true, result });
  failed.results.set(call.id, { k: 'status', call: call.id, ok: false, result });
  return [ok, failed];
}

interface Source {
  readonly value: Value | undefined;
  readonly path: Path | undefined;
}

function importFd(call: Call, shape: ImportShape, state: State, report: Report): State[] | undefined {
  const struct = structOf(call, shape, state);
  if (!struct) return undefined;
  const fd = read(call, shape.fd, struct, state);
  const symbol = read(call, shape.type, struct, state).value;
  const type = symbol?.k === 'sym' ? handleType(symbol.s) : undefined;
  const id = objectFor(fd, call, state);
  applyKnownCall(call, state);
  if (id === undefined) return [state];
  const adopts = type && adopted(type);
  if (adopts) return transfer(call, id, state, report);
  // No API tells, or a descriptor under a type of Windows, which whatever chose the type rules out.
  state.escape(id);
  return [state];
}

/** `eglCreateSync(display, type, attributes)` adopts the descriptor behind a name in the list. */
function importListed(call: Call, list: NonNullable<ImportShape['list']>, state: State, report: Report): State[] {
  const key = keyOfList(call.api!.arg(list.param), state);
  const names = key === undefined ? [] : state.keysInside(key);
  const at = names.find((each) => {
    const value = state.bindings.get(each);
    return value?.k === 'sym' && value.s === list.name;
  });
  const index = at === undefined ? undefined : /\[(\d+)\]$/.exec(at)?.[1];
  const value = index === undefined ? undefined : state.bindings.get(`${key}[${Number(index) + 1}]`);
  if (value?.k === 'obj') {
    applyKnownCall(call, state);
    return transfer(call, value.id, state, report);
  }
  // A list that was filled by and by: whatever lies in it may be gone.
  for (const each of names) {
    const inside = state.bindings.get(each);
    if (inside?.k === 'obj') state.escape(inside.id);
  }
  applyKnownCall(call, state);
  return [state];
}

function keyOfList(arg: Expr | undefined, state: State): string | undefined {
  const path = pathOf(arg);
  const value = evaluate(arg, state);
  return value?.k === 'addr' ? value.key : path && state.resolve(path);
}

/** A function of the project that takes the descriptor. When it may fail and the code looks at a result that we cannot read, it is out of sight. */
function consumeFd(call: Call, state: State, report: Report): State[] {
  const id = objectFor(sourceOf(call.api!.arg('fd'), state), call, state);
  applyKnownCall(call, state);
  if (id === undefined) return [state];
  if (call.api!.api.result !== 'object' || call.use === 'ignored') return transfer(call, id, state, report);
  state.escape(id);
  return [state];
}

function transfer(call: Call, id: number, state: State, report: Report): State[] {
  const object = state.objects.get(id)!;
  if (object.state === 'transferred' && !object.escaped) report(violation('imported-again', object, call));
  const failed = state.clone();
  state.move(id, 'transferred', call, call.id);
  for (const key of writtenBy(call, state)) state.bind(key, { k: 'some', inside: true });
  failed.move(id, object.state.startsWith('owned') ? 'owned-failed' : 'held-failed', call, call.id);
  const tells = hasStatus(call.api!.api) || call.api!.api.result === 'handle';
  if (!tells || call.use === 'ignored' || throws(call)) return [state];
  return outcomes(call, state, failed);
}

/** Where a call that succeeds writes an object: a check of it for null beside the status is no second way to fail. */
function writtenBy({ api }: Call, state: State): string[] {
  return api!.api.params.flatMap((param) => {
    const path = param.out ? writtenTo(api!.arg(param.name)) : undefined;
    return path ? [state.resolve(path)] : [];
  });
}

/** vulkan.hpp returns what C writes through a pointer and throws on failure; given a place to write to it returns a result like C. */
function throws({ api }: Call): boolean {
  return api!.spelling === 'hpp' && api!.api.params.some((param) => param.out && !api!.arg(param.name));
}

/** Where the descriptor struct lives: a key, a brace list in place, or nothing for direct arguments. */
type Struct = { readonly base: Path | undefined; readonly init: (Expr & { kind: 'init' }) | undefined; readonly type: string | undefined };

function structOf(call: Call, shape: ImportShape, state: State): Struct | undefined {
  if (!shape.fd.field) return { base: undefined, init: undefined, type: undefined };
  const written = call.api!.arg(shape.fd.param);
  const linked = shape.fd.chained && structureChain(call, written)?.initOf(shape.fd.chained.replace(/^Vk/, 'vk::'));
  if (linked) return { base: undefined, init: linked, type: shape.fd.chained };
  const bare = written && unwrap(written);
  const type = call.api!.api.params.find((param) => param.name === shape.fd.param)?.descriptor;
  if (bare?.kind === 'init' && !shape.fd.chained) return { base: undefined, init: bare, type };
  if (bare?.kind === 'init') return chained(call, nextOf(bare, bare.type ?? hppOrC(call, type), state), shape.fd.chained!, state);
  const base = pathOf(written);
  if (!base) return undefined;
  return shape.fd.chained ? chained(call, state.lookup(`${state.resolve(base)}.pNext`), shape.fd.chained, state) : { base, init: undefined, type };
}

function unwrap(expr: Expr): Expr {
  const bare = stripCasts(expr);
  return bare.kind === 'unary' && bare.op === '&' ? unwrap(bare.operand) : bare;
}

function nextOf(init: Expr & { kind: 'init' }, type: string | undefined, state: State): Value | undefined {
  const next = fieldOfInit(init, type, ['pNext']);
  return next === 'zero' ? undefined : evaluate(next, state);
}

/** Follows pNext to the struct of a type. */
function chained(call: Call, first: Value | undefined, wanted: string, state: State): Struct | undefined {
  let next = first;
  for (let i = 0; i < 8 && next?.k === 'addr'; i++) {
    const { key } = next;
    const isWanted = (each: Variable) => each.name === key && bare(each.type) === wanted.replace(/KHR$/, '');
    if (call.fn.locals.some(isWanted) || call.fn.params.some(isWanted))
      return { base: { root: key, kind: 'local', steps: [] }, init: undefined, type: wanted };
    next = state.lookup(`${key}.pNext`);
  }
  return undefined;
}

function bare(type: string): string {
  return type
    .replace(/^const /, '')
    .replace(/[*&]/g, '')
    .replace(/^vk::/, 'Vk')
    .replace(/KHR$/, '');
}

function read(call: Call, from: { readonly param: string; readonly field?: string }, struct: Struct, state: State): Source {
  if (!from.field) return sourceOf(call.api!.arg(from.param), state);
  if (struct.init) {
    const part = fieldOfInit(struct.init, hppOrC(call, struct.type), from.field.split('.'));
    return part === 'zero' ? { value: { k: 'num', n: 0 }, path: undefined } : sourceOf(part, state);
  }
  const path = extend(struct.base!, ...from.field.split('.').map((name) => `.${name}`));
  return { value: state.lookup(state.resolve(path)), path };
}

function hppOrC(call: Call, type: string | undefined): string | undefined {
  return type && call.api!.spelling === 'hpp' ? type.replace(/^Vk/, 'vk::') : type;
}

function sourceOf(expr: Expr | undefined, state: State): Source {
  return { value: evaluate(expr, state), path: expr && stripCasts(expr).kind === 'path' ? pathOf(expr) : undefined };
}

/** The object a value or path means; begins to track a path that nothing is known about. */
function objectFor(source: Source, at: Event, state: State): number | undefined {
  if (source.value?.k === 'obj') return source.value.id;
  if ((source.value && source.value.k !== 'some') || !source.path || source.path.kind === 'captured') return undefined;
  return trackPath(source.path, 'held', at, state);
}

function closeFd(call: Call, state: State, report: Report): State[] {
  const id = objectFor(sourceOf(call.api!.arg('fd'), state), call, state);
  const object = id === undefined ? undefined : state.objects.get(id);
  if (id === undefined || !object) return [state];
  if (object.state === 'transferred' && !object.escaped) report(violation('closed-after-transfer', object, call));
  state.move(id, 'closed', call);
  return [state];
}

/** Any other system call on a descriptor that is gone. */
function useFd(call: Call, state: State, report: Report): void {
  const value = evaluate(call.api!.arg('fd'), state);
  const object = value?.k === 'obj' ? state.objects.get(value.id) : undefined;
  const isInput = call.api!.api.params.some((param) => param.name === 'fd' && !param.out);
  if (isInput && object?.state === 'transferred' && !object.escaped) report(violation('used-after-transfer', object, call));
}

/** No field, global, pointer target, caller or object that cleans up has it. */
function isLocalOnly(state: State, id: number, fn: FunctionFacts, file: FileFacts): boolean {
  if (state.returned?.k === 'obj' && state.returned.id === id) return false;
  if (isInReturned(state, id)) return false;
  const lent = lentTo(file, fn, state.leaving);
  return state.keysOf(id).every((key) => {
    const root = /^\w+/.exec(key)?.[0] ?? '';
    const steps = key.slice(root.length).match(/\.\w+|\[[^\]]*\]|\*/g) ?? [];
    const meant = fn.locals.filter((each) => each.name === root);
    const isOurs = (each: Variable) => !each.isStatic && !/[*&]$/.test(each.type) && !mayCloseAtEnd(file, fn, each, steps);
    return meant.length > 0 && meant.every(isOurs) && !lent.has(root);
  });
}

/** `guard([&] { if (fd >= 0) close(fd); })`, written before there is a descriptor: what is put there later is in its reach all the same. */
function lentTo(file: FileFacts, { events }: FunctionFacts, leaving: Event | undefined): ReadonlySet<string> {
  const before = leaving ? events.filter((event) => event.id < leaving.id) : events;
  const paths = before.flatMap((event) => (event.kind === 'escape' ? event.paths : event.kind === 'assign' ? guardedBy(event, file) : []));
  return new Set(paths.map(({ root }) => root));
}

/** `return frame;` returns the descriptor in `frame.fd` too. */
function isInReturned(state: State, id: number): boolean {
  const value = state.leaving?.kind === 'return' ? state.leaving.value : undefined;
  const returned = value ? handedBack(value).flatMap((path) => state.keysInside(state.resolve(path))) : [];
  return state.keysOf(id).some((key) => returned.includes(key));
}

/** Paths whose value is part of a returned value; arguments of calls are not. */
function handedBack(expr: Expr): Path[] {
  const bare = stripCasts(expr);
  if (bare.kind === 'path') return [bare.path];
  if (bare.kind === 'init') return bare.entries.flatMap((entry) => handedBack(entry.value));
  if (bare.kind === 'conditional') return [bare.yes, bare.no].flatMap(handedBack);
  // `std::optional<int>{fd}`, `std::optional<int>(fd)`, `std::make_optional(fd)`
  if (bare.kind === 'call' && (bare.form === 'construct' || /optional|expected/.test(bare.callee))) return bare.args.flatMap(handedBack);
  return bare.kind === 'other' ? bare.operands.flatMap(handedBack) : [];
}
