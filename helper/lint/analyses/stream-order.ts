// Asynchronous CUDA work in C, C++ and CUDA: what is queued on which stream, and what may make somebody wait for it.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathKey, pathOf, samePath, symbolOf, walk } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { valueAt } from '../flow/definitions';
import { reachesWithout } from '../flow/order';
import { resolveCallee } from '../flow/program';
import { bareType, isSuccessConstant } from '../knowledge/index';
import { fileQuery } from '../memo/query';
import { namedStream } from './wrapped-streams';

export const defaultStream = 'default';

/** Work that runs later than the call returns. `key` is equal for equal streams; `written` is the stream as the code names it. */
export interface Work {
  readonly call: Call;
  readonly key: string;
  readonly written: Expr | undefined;
}

const legacy = /^(cudaStreamLegacy|CU_STREAM_LEGACY|cudaStreamDefault|hipStreamDefault|CU_STREAM_DEFAULT)$/;

/** A key of the stream that an argument means; null, 0 and an absent argument are the default stream. */
export function streamKey(file: FileFacts, at: Event, written: Expr | undefined): string {
  const value = written && valueAt(at, namedStream(file, at.fn, written) ?? written);
  if (value === undefined || value === 'zero' || value.kind === 'null') return defaultStream;
  if (value.kind === 'number') return value.value === 0 ? defaultStream : `#${value.value}`;
  const symbol = symbolOf(value);
  if (symbol && legacy.test(symbol)) return defaultStream;
  const path = pathOf(value);
  return path ? pathKey(path) : file.source(value).replace(/\s+/g, '');
}

/** True for an expression whose declared type is a CUDA stream. */
export function isStream(file: FileFacts, fn: FunctionFacts, expr: Expr): boolean {
  return namedStream(file, fn, expr) !== undefined;
}

const notWork =
  /sync|wait|record|create|destroy|delete|free|alloc|set|get|signal|query|init|register|bind|attach|add|release|drain|idle|finish|flush|log|print|check|name/i;

/** The work that a call queues: a launch, an asynchronous copy, or a function that nobody sees and that is given a stream. */
export function workOf(file: FileFacts, call: Call): Work | undefined {
  if (call.launch) return work(file, call, call.launch[3]);
  const { api } = call;
  if (api) {
    const isCuda = /^(cuda-driver|cuda-runtime|hip)$/.test(api.api.family);
    const isWork = isCuda && api.does('launch') && !api.does('signal') && !api.does('free') && !api.does('alloc');
    return isWork ? work(file, call, api.arg('stream')) : undefined;
  }
  if (call.form !== 'call' || notWork.test(call.name) || resolveCallee(file, call)) return undefined;
  const given = call.args.flatMap((arg) => namedStream(file, call.fn, arg) ?? [])[0];
  // What is given nothing but streams orders them.
  const isOrder = call.args.every((arg) => namedStream(file, call.fn, arg) !== undefined);
  return given && call.args.length > 1 && !isOrder ? work(file, call, given) : undefined;
}

function work(file: FileFacts, call: Call, given: Expr | undefined): Work {
  const written = given && (namedStream(file, call.fn, given) ?? given);
  return { call, key: streamKey(file, call, written), written };
}

export function worksIn(file: FileFacts, fn: FunctionFacts): Work[] {
  return fn.calls.flatMap((call) => workOf(file, call) ?? []);
}

/** The copy brings data to host memory, which no other device API reads. */
export function copiesToHost(call: Call): boolean {
  const kind = call.api?.arg('kind');
  return /DtoH|DeviceToHost/i.test(call.name) || /DeviceToHost$/.test(symbolOf(kind) ?? '');
}

/**
 * The host waits for work on the stream, or polls for it. Events are believed to be the right ones. Calls that synchronise as a side
 * effect (cudaMemcpy, cudaFree) count.
 */
export function waitsForStream(file: FileFacts, call: Call, key: string): boolean {
  const { api } = call;
  if (!api || !/^(cuda-driver|cuda-runtime|hip)$/.test(api.api.family)) return false;
  if (/^(cuda|cu)(StreamSynchronize|StreamQuery)$/.test(api.name)) return streamKey(file, call, api.arg('stream')) === key || key === defaultStream;
  return api.does('sync') || /Query$/.test(api.name) || /^(cudaFree|cuMemFree|cudaFreeHost|cudaFreeArray|cudaDeviceReset)$/.test(api.name);
}

const streamCreations = callsTo(/^(cuda|cu)StreamCreate/);

/** The file creates one of the streams without the non-blocking flag, so the legacy default stream and it wait for each other. */
export function createdBlocking(file: FileFacts, streams: readonly (Expr | undefined)[]): boolean {
  const named = streams.flatMap((expr) => pathOf(expr) ?? []);
  const own = streamCreations(file).filter((call) => named.some((path) => samePath(call.api!.path('stream'), path)));
  return own.some((call) => !/NON_?BLOCKING/i.test(symbolOf(call.api!.arg('flags')) ?? ''));
}

/** The file creates one of the streams with the non-blocking flag, or it is the per-thread one: the legacy default stream has no order with it. */
export function ignoresDefault(file: FileFacts, streams: readonly (Expr | undefined)[]): boolean {
  if (streams.some((expr) => /PER_?THREAD$/i.test(symbolOf(expr) ?? ''))) return true;
  const named = streams.flatMap((expr) => pathOf(expr) ?? []);
  const own = streamCreations(file).filter((call) => named.some((path) => isSameStream(call.api!.path('stream'), path)));
  return own.length > 0 && own.every((call) => /NON_?BLOCKING/i.test(symbolOf(call.api!.arg('flags')) ?? ''));
}

/** Elements of one array are created alike. */
function isSameStream(a: Path | undefined, b: Path): boolean {
  const anyIndex = (path: Path): Path => ({ ...path, steps: path.steps.map((step) => (step.startsWith('[') ? '[]' : step)) });
  return a !== undefined && samePath(anyIndex(a), anyIndex(b));
}

/** The default stream is every thread's own in this file, and so has no order with any other. */
export const hasOwnDefault = fileQuery((file) =>
  file.directives.some(({ kind, name }) => kind === 'define' && /^(CUDA|HIP)_API_PER_THREAD_DEFAULT_STREAM$/.test(name)),
);

const unsureNames =
  /sync|wait|finish|flush|join|idle|fence|barrier|block|drain|complete|done|poll|submit|end|stop|quiesce|release|acquire|signal|record|present|callback|order|handoff|hand_over|transition/i;
/** The last error is checked, in debug builds often behind a synchronise: `checkCUDAError("after the kernel")`. */
const debugChecks = /^(?!(get|print)LastCudaError$)\w*(check|verify|error)/i;
const harmlessMethods =
  /^(push_back|emplace_back|push|pop|emplace|insert|erase|size|empty|data|begin|at|c_str|str|count|find|load|store|get|clear|resize|reserve|front|back|operator\[\]|fetch_add|lock|unlock|reset|value|has_value|first|second|max|min)$/;
const harmlessFunctions =
  /^(std::|fmt::|spdlog::|absl::)?(\w*(?:print|printf|log|LOG|trace|format|assert|to_string|memcpy|min|max|move|swap|make_\w+)\w*)$/;

/** An algorithm of Thrust that is given no stream: the default stream waits for the others, and the host for it. */
function runsOnDefault({ callee, args }: Call): boolean {
  const isAlgorithm =
    /^thrust::(?!make_|raw_|get$|tie$|(?:device|host|counting|constant|zip|identity|plus|minus|maximum|minimum)\w*$|\w+_(?:cast|iterator)$)\w+$/.test(
      callee,
    );
  return isAlgorithm && !args.some((arg) => arg.kind === 'call' && arg.name === 'on');
}

type IsWait = (call: Call) => boolean;
/** Functions that do not wait, as far as they were looked into. */
type Idle = Map<FunctionFacts, { readonly depth: number; readonly isOther: boolean }>;

/**
 * May `event` make somebody wait, judged by `isWait` here and in functions that the file shows? Callees that nobody sees count when their
 * name, their being a method or a variable, or their being given nothing but streams leaves it open: what is not known must not lead to a
 * finding.
 */
export function mayWait(file: FileFacts, event: Event, isWait: IsWait, depth = 4, idle: Idle = new Map()): boolean {
  if (event.kind === 'scopeEnd')
    return event.variables.some(
      ({ type, name }) => /sync|wait|join|fence/i.test(type + name) || waitsInEnds(file, type, isWait, depth, idle, 'destructor'),
    );
  if (event.kind !== 'call') return false;
  if (isWait(event)) return true;
  // A struct of vulkan.hpp is made, whatever it is called.
  if (event.api || event.launch || /^vk::[A-Z]\w*Info\w*$/.test(event.callee)) return false;
  if (event.form !== 'call')
    return /sync|wait|join|fence|barrier/i.test(event.name) || waitsInEnds(file, event.name, isWait, depth, idle, 'constructor');
  const callee = resolveCallee(file, event);
  if (callee && callee.events.length > 0) return depth > 0 && waitsWithin(file, callee, isWait, depth, idle, callee.className !== event.fn.className);
  if (debugChecks.test(event.name) || runsOnDefault(event)) return true;
  if (unsureNames.test(event.name) || isWaitingMacro(file, event.name)) return true;
  if (event.receiver) return !harmlessMethods.test(event.name) && !/^set[A-Z]/.test(event.name);
  if ([...event.fn.locals, ...event.fn.params].some(({ name }) => name === event.name)) return true;
  if (harmlessFunctions.test(event.callee)) return false;
  return event.args.every((arg) => namedStream(file, event.fn, arg) !== undefined);
}

/** @param isOther a method of another object: its fields are named otherwise where it is called */
function waitsWithin(file: FileFacts, callee: FunctionFacts, isWait: IsWait, depth: number, idle: Idle, isOther: boolean): boolean {
  const known = idle.get(callee);
  if (known && known.depth >= depth && (known.isOther || !isOther)) return false;
  const waits = callee.events.some(
    (inner) => mayWait(file, inner, isWait, depth - 1, idle) || (inner.kind === 'call' && waitsForGiven(inner, isOther)),
  );
  if (!waits) idle.set(callee, { depth, isOther });
  return waits;
}

/** It waits for a stream or event that it is given, or that belongs to an object: which one that is, the call site says in other words. */
function waitsForGiven({ api }: Call, isOther: boolean): boolean {
  if (!api || !/(StreamSynchronize|StreamQuery|EventSynchronize|EventQuery|StreamWaitEvent)$/.test(api.name)) return false;
  const kind = (pathOf(api.arg('stream')) ?? pathOf(api.arg('event')))?.kind;
  return kind === 'param' || (kind === 'this' && isOther);
}

/** An object whose constructor or destructor waits. */
function waitsInEnds(file: FileFacts, type: string, isWait: IsWait, depth: number, idle: Idle, end: 'constructor' | 'destructor'): boolean {
  const methods = depth > 0 ? (file.classNamed(bareType(type))?.methods ?? []) : [];
  return methods.some((method) => method.kind === end && waitsWithin(file, method, isWait, depth, idle, true));
}

/** `#define DRAIN(s) cudaStreamSynchronize(s)` */
function isWaitingMacro(file: FileFacts, name: string): boolean {
  return waitingMacros(file).has(name);
}

const waitingMacros = fileQuery(
  (file) =>
    new Set(file.directives.flatMap(({ kind, name, body }) => (kind === 'define' && /(Synchronize|Query|Wait\w*)\s*\(/.test(body) ? [name] : []))),
);

/**
 * Control gets from one event to a later one, and nothing written between them may wait. Source order, not paths: a wait under a condition
 * counts. Where the first is a call whose failure is tested, only its success counts: failed work is not pending.
 */
export function unorderedBetween(file: FileFacts, from: Event, to: Event, isWait: (call: Call) => boolean): boolean {
  if (from.fn !== to.fn || from.id >= to.id || from.fn.degraded) return false;
  const between = from.fn.events.filter((event) => event.id > from.id && event.id < to.id);
  const idle: Idle = new Map();
  return !between.some((event) => mayWait(file, event, isWait, 4, idle) && leadsTo(event, to)) && reachesWithout(afterSuccess(from), to, () => false);
}

/** What ends the program or the function holds nothing back. */
function leadsTo(event: Event, to: Event): boolean {
  return reachesWithout(event, to, () => false);
}

/** The place behind the test of a call's status on its successful side; the call itself where nobody tests it. */
export function afterSuccess(from: Event): Event {
  if (from.kind !== 'call') return from;
  const test = from.fn.events.find((event) => event.kind === 'test' && event.id > from.id && testsStatus(event.expr, from));
  const onSuccess = test?.kind === 'test' ? successSide(test.expr) : undefined;
  const edge = test && onSuccess !== undefined ? from.fn.blocks[test.block]!.edges.find((each) => each.when === onSuccess) : undefined;
  return edge ? { ...from, block: edge.to, index: -1 } : from;
}

function testsStatus(expr: Expr, call: Call): boolean {
  for (const part of walk(expr)) if (part === call || (part.kind === 'path' && samePath(part.path, call.result))) return true;
  return false;
}

/** The value of a test that means success of the status in it. */
function successSide(expr: Expr): boolean | undefined {
  if (expr.kind === 'success') return true;
  if (expr.kind === 'path' || expr.kind === 'call') return false;
  if (expr.kind !== 'binary') return undefined;
  if (expr.op === '<') return false;
  const isSuccess = [expr.left, expr.right].some(
    (side) => (side.kind === 'number' && side.value === 0) || (side.kind === 'path' && isSuccessConstant(side.path.root)),
  );
  return isSuccess && (expr.op === '==' || expr.op === '!=') ? expr.op === '==' : undefined;
}
