/**
 * # gl/context-thread
 *
 * ## What it does
 * Reports an OpenGL context that is made current on a second thread while the first still has it, GL or CUDA-GL calls on a worker thread
 * where no context is current, and a function that replaces the caller's current context and does not restore it on some way out.
 *
 * ## Why is this bad
 * A context is current on one thread at most: the second `MakeCurrent` fails (`EGL_BAD_ACCESS`), and GL calls without a context do nothing
 * or crash. An embedder that loses its current context draws into somebody else's.
 *
 * ## Example
 * ```cpp
 * #include <EGL/egl.h>
 * #include <thread>
 * std::thread start(EGLDisplay display, EGLContext context) {
 *     eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
 *     return std::thread([=] { eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context); });
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <EGL/egl.h>
 * #include <thread>
 * std::thread start(EGLDisplay display, EGLContext context) {
 *     eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
 *     eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);  // let go first
 *     return std::thread([=] { eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context); });
 * }
 * ```
 *
 * ## What it cannot see
 * Threads that other files start, thread pools and task queues, and contexts that helpers in other files make current or release. That another
 * method has the context current when the thread starts shows with the preview rules only.
 */
import { madeCurrent, needsContext, readsName, type ThreadStart, threadFunctions, threadsOf } from '../../analyses/gl-contexts';
import { type Reached, reachedCalls } from '../../analyses/releases';
import type { Call, Event, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { expressionsOf, pathKey, pathText } from '../../facts/paths';
import { reachesWithout } from '../../flow/order';
import { functionsWhere, holdsForAny } from '../../memo/table';
import { defineRule, type Problem } from '../rule';

interface Data {
  readonly why: 'two threads' | 'no context' | 'not restored';
  readonly name: string;
}

type Report = (problem: Problem<Data>) => void;

export const rule = defineRule<Data>({
  meta: {
    id: 'gl/context-thread',
    summary: 'A GL context is current on two threads, missing on a worker, or not given back to the caller.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ why, name }) {
    const text = {
      'two threads': `\`${name}\` is made current here while the thread that starts this one still has it: a context is current on one thread at most, so the call fails. Release it there first.`,
      'no context': `\`${name}\` needs a current GL context, and this thread has none: contexts are current per thread. Make one current here, or leave GL work to the thread that has it.`,
      'not restored': `This way out leaves \`${name}\` current instead of the context that the function found: the caller then works on the wrong one. Restore it here too.`,
    };
    return text[why];
  },

  detect(file, report) {
    if (!makesAny(file)) return;
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      for (const thread of threadsOf(file, fn)) checkThread(file, fn, thread, report);
      if (file.language !== 'python') checkRestore(fn, report);
    }
  },
});

/** No finding is without such a call. */
const makesAny = holdsForAny((_, fn) => fn.calls.some((call) => madeCurrent(call) !== undefined));

function checkThread(file: FileFacts, fn: FunctionFacts, thread: ThreadStart, report: Report): void {
  const calls = [...reachedCalls(file, thread.body)];
  const made = calls.map((each) => ({ each, current: madeCurrent(each.call) })).find(({ current }) => current);
  if (!made) {
    checkMissing(file, fn, thread, calls, report);
    return;
  }
  const inner = made.current?.context && made.each.outer(made.current.context);
  const path = inner && thread.outer(inner);
  const held = path && heldAt(file, fn, thread.at, path);
  const holder = held ?? (path && (createdAt(file, fn, thread.at, path) ?? heldByClass(file, fn, path)));
  if (!path || !holder) return;
  report({
    at: ownPlace(fn, thread, calls.slice(0, calls.indexOf(made.each) + 1)),
    data: { why: 'two threads', name: pathText(path) },
    related: [
      { at: holder, message: 'made current here and not released' },
      { at: thread.at, message: 'the thread starts here' },
    ],
    // That another method has it current when the thread starts is a guess.
    isPreview: !held,
  });
}

/** In the code of the thread itself, where a class around the context makes it current for it. */
function ownPlace(fn: FunctionFacts, { body }: ThreadStart, way: readonly Reached[]): Call {
  const isOwn = ({ call }: Reached) => call.fn === body || (fn.className !== undefined && call.fn.className === fn.className);
  return (way.findLast(isOwn) ?? way.at(-1)!).call;
}

const mayRelease = /current|release|unbind|done|context|detach|leave|end|restore|pop|clear/i;

/** The call that made the context current on the starting thread, when nothing lets go of it before or behind the start. */
function heldAt(file: FileFacts, fn: FunctionFacts, start: Event, path: Path): Call | undefined {
  const all = [...reachedCalls(file, fn)].filter(({ site }) => site !== start);
  const made = all.findLast(({ call, site, outer }) => {
    const context = madeCurrent(call)?.context;
    const own = context && outer(context);
    return site.id < start.id && own !== undefined && sameThing(own, path);
  });
  if (!made || all.some(({ call, site }) => site.id > made.site.id && lets(call))) return undefined;
  return reachesWithout(made.site, start, () => false) ? made.site : undefined;
}

/** The call that created the context on the starting thread, where creating makes it current, when nothing lets go of it since. */
function createdAt(file: FileFacts, fn: FunctionFacts, start: Event, path: Path): Call | undefined {
  const all = [...reachedCalls(file, fn)].filter(({ site }) => site !== start);
  const made = all.findLast(({ call, site, outer }) => {
    const own = call.name === 'SDL_GL_CreateContext' && call.result ? outer(call.result) : undefined;
    return site.id < start.id && own !== undefined && sameThing(own, path);
  });
  if (!made || all.some(({ call, site }) => site.id > made.site.id && lets(call))) return undefined;
  return reachesWithout(made.site, start, () => false) ? made.site : undefined;
}

function lets(call: Call): boolean {
  const current = madeCurrent(call);
  return current ? true : !call.api && mayRelease.test(call.name);
}

/** Another method of the class makes its context current and nobody outside the worker releases one. */
function heldByClass(file: FileFacts, fn: FunctionFacts, path: Path): Call | undefined {
  if (path.kind !== 'this' || !fn.className) return undefined;
  const workers = threadFunctions(file);
  if (lettingGo(file).some((each) => !workers.has(each))) return undefined;
  const own = file
    .functionsOfClass(fn.className)
    .filter((each) => !workers.has(each) && !each.degraded)
    .flatMap((each) => each.calls);
  return own.find((call) => {
    const context = madeCurrent(call)?.context;
    return context !== undefined && sameThing(context, path);
  });
}

const lettingGo = functionsWhere((_, fn) =>
  fn.calls.some((call) => madeCurrent(call)?.isNone || (!call.api && /release|unbind|done_?current|detach/i.test(call.name))),
);

function sameThing(a: Path, b: Path): boolean {
  return pathKey(a) === pathKey(b);
}

/** GL work on a worker that nobody gave a context, although the starting thread has one. */
function checkMissing(file: FileFacts, fn: FunctionFacts, thread: ThreadStart, calls: readonly Reached[], report: Report): void {
  const first = calls.find(({ call }) => needsContext(call));
  if (!first || !usesGl(file, fn)) return;
  const isUnsure = calls.some(({ call }) => call.id < first.call.id && !call.api && !needsContext(call));
  if (isUnsure) return;
  report({
    at: first.site,
    data: { why: 'no context', name: first.call.name },
    related: [{ at: thread.at, message: 'the thread starts here' }],
  });
}

function usesGl(file: FileFacts, fn: FunctionFacts): boolean {
  const near = fn.className ? file.functionsOfClass(fn.className) : [fn];
  return near.some((each) => each.calls.some((call) => madeCurrent(call) !== undefined));
}

/** The function remembers the current context, replaces it, restores it on one way out and forgets it on another. */
function checkRestore(fn: FunctionFacts, report: Report): void {
  for (const saved of fn.events) {
    if (saved.kind !== 'assign' || !saved.declares || saved.value?.kind !== 'call') continue;
    if (!/GetCurrentContext$/.test(saved.value.api?.name ?? '')) continue;
    const name = saved.declares.name;
    const isRestore = (event: Event) => event.kind === 'call' && madeCurrent(event) !== undefined && event.args.some((arg) => readsName(arg, name));
    if (!fn.calls.some(isRestore) || isHandedOn(fn, name)) continue;
    const made = fn.calls.find((call) => call.id > saved.id && madeCurrent(call)?.context && !isRestore(call));
    const way = made && wayOut(made, isRestore);
    if (made && way)
      report({
        at: way,
        data: { why: 'not restored', name: pathText(madeCurrent(made)!.context!) },
        related: [{ at: made, message: 'made current here' }],
      });
  }
}

/** A guard, a field or unknown code has the remembered context. */
function isHandedOn(fn: FunctionFacts, name: string): boolean {
  return fn.events.some((event) => {
    if (event.kind === 'escape') return event.paths.some((path) => path.root === name);
    if (event.kind === 'call') return !event.api && [...event.args].some((arg) => readsName(arg, name));
    if (event.kind === 'return') return expressionsOf(event).some((expr) => readsName(expr, name));
    return event.kind === 'assign' && event.value !== undefined && !event.declares && readsName(event.value, name);
  });
}

/** A return that is reached after the call succeeded without a restore. Only conditions about the call itself are understood. */
function wayOut(made: Call, isRestore: (event: Event) => boolean): Event | undefined {
  const { blocks } = made.fn;
  const test = blocks[made.block]!.events.at(-1);
  const isTested = test?.kind === 'test' && test.id > made.id && test.expr === made;
  if (!isTested && made.use !== 'ignored') return undefined;
  const seen = new Set<number>();
  const queue = [{ block: made.block, index: made.index + 1, when: isTested ? true : undefined }];
  for (const { block, index, when } of queue) {
    const decisive = blocks[block]!.events.slice(index).find((event) => event.kind === 'return' || isRestore(event));
    if (decisive?.kind === 'return') return decisive;
    if (decisive) continue;
    const edges = blocks[block]!.edges.filter((edge) => edge.kind === 'flow' && (when === undefined || edge.when === when));
    for (const { to } of edges.filter((edge) => !seen.has(edge.to))) {
      seen.add(to);
      queue.push({ block: to, index: 0, when: undefined });
    }
  }
  return undefined;
}
