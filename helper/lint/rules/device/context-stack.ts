/**
 * # device/context-stack
 *
 * ## What it does
 * Reports a CUDA context stack that is out of balance on some path: an early return between `cuCtxPushCurrent` and `cuCtxPopCurrent`, a
 * helper that pops only when something failed, a push or pop inside `assert`, a pop too many, a context that is created on first use and pushed once more. Also `cuCtxDestroy` of a context that was only borrowed by
 * `cuCtxGetCurrent` or `cuDevicePrimaryCtxRetain`.
 *
 * ## Why is this bad
 * The stack belongs to the thread. A missing pop leaves the wrong context current for whoever runs next; a pop too many takes away a
 * context that somebody else pushed. Both show as `CUDA_ERROR_INVALID_CONTEXT` or as memory of the wrong device, far from here.
 * Destroying a borrowed context ends it for the whole process.
 *
 * ## Example
 * ```cpp
 * #include <cuda.h>
 * bool upload(CUcontext context, CUdeviceptr target, const void* pixels, size_t bytes) {
 *     CUcontext popped;
 *     cuCtxPushCurrent(context);
 *     if (cuMemcpyHtoD(target, pixels, bytes) != CUDA_SUCCESS) return false;
 *     cuCtxPopCurrent(&popped);
 *     return true;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda.h>
 * bool upload(CUcontext context, CUdeviceptr target, const void* pixels, size_t bytes) {
 *     CUcontext popped;
 *     cuCtxPushCurrent(context);
 *     const bool ok = cuMemcpyHtoD(target, pixels, bytes) == CUDA_SUCCESS;
 *     cuCtxPopCurrent(&popped);
 *     return ok;
 * }
 * ```
 *
 * ## What it cannot see
 * Helpers of other files that push or pop; guards whose destructor pops; exceptions of Python. A push whose failure is only logged is
 * taken to succeed. A function that pushes on success and pops on failure keeps a
 * protocol with its caller and is left alone, and so does one that first pops all contexts in a loop.
 */
import { assertedMoves, contextStack, depthOf, makesContext, type StackCall, stackCall, stackEffect } from '../../analyses/device-context-stack';
import { pushedTwice } from '../../analyses/twice-pushed';
import type { Call, Event, FileFacts, FunctionFacts } from '../../facts/index';
import { pathKey, pathOf, samePath, walk } from '../../facts/paths';
import { assignmentsTo, callsTo } from '../../flow/calls';
import { valueAt } from '../../flow/definitions';
import type { Violation } from '../../flow/machine';
import { dominates, eventsAfter, inLoop, returnsWithout } from '../../flow/order';
import { violationsOf } from '../../flow/program';
import { defineRule } from '../rule';

interface Data {
  readonly kind: 'asserted' | 'created-and-pushed' | 'missing-pop' | 'pushed-again' | 'extra-pop' | 'pop-on-failure' | 'destroys-borrowed';
  readonly name: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'device/context-stack',
    summary: 'The CUDA context stack is out of balance on some path, or a borrowed context is destroyed.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ kind, name }) {
    switch (kind) {
      case 'asserted':
        return `\`${name}\` stands inside assert: a build with NDEBUG, as releases are, leaves the call out, and the context stack is out of balance there. Call it first and assert its status.`;
      case 'created-and-pushed':
        return `\`${name}\` pushes the context that it creates, and it is pushed again below: the first time it lies on the stack twice, and the one pop later leaves it current. Pop it right after it is created.`;
      case 'missing-pop':
        return 'This way out leaves the pushed CUDA context on the stack, while the function pops it elsewhere: the caller goes on with the wrong context. Pop before leaving, or push and pop in a guard object.';
      case 'pushed-again':
        return 'The loop gets back to this push on a way without a pop: the stack grows with every such round, and the caller goes on with the wrong context. Pop before each `continue`, or push and pop in a guard object.';
      case 'extra-pop':
        return 'On this path the CUDA context stack is popped more often than it was pushed: a context that somebody else pushed is taken away. Pop exactly once for each push.';
      case 'pop-on-failure':
        return 'This pops a CUDA context that the function did not push, and only when something failed: the caller that pushed it pops again. Whoever pushes also pops; leave it to the caller on every path.';
      case 'destroys-borrowed':
        return `\`${name}\` is destroyed, but it was only borrowed: it was current already or is the primary context, which the runtime API and other libraries use. Give a retained one back with cuDevicePrimaryCtxRelease and leave a current one alone.`;
    }
  },

  detect(file, report) {
    const byFunction = new Map<FunctionFacts, Violation[]>();
    for (const exit of violationsOf(file, contextStack)) byFunction.set(exit.at.fn, [...(byFunction.get(exit.at.fn) ?? []), exit]);
    for (const [fn, exits] of byFunction) {
      const found = unbalanced(file, fn, exits, file.language === 'python');
      if (found) report({ at: found.at, data: { kind: found.kind, name: '' }, related: found.related });
    }
    for (const { created, pushed } of file.subjects.flatMap((fn) => pushedTwice(file, fn))) {
      const related = [{ at: pushed, message: 'pushed once more here' }];
      report({ at: created, data: { kind: 'created-and-pushed', name: created.name }, related });
    }
    for (const call of file.subjects.flatMap((fn) => assertedMoves(file, fn))) report({ at: call, data: { kind: 'asserted', name: call.name } });
    for (const { at, name, borrowed } of destroyed(file)) {
      report({ at, data: { kind: 'destroys-borrowed', name }, related: [{ at: borrowed, message: 'borrowed here' }] });
    }
  },
});

interface Unbalanced {
  readonly kind: Data['kind'];
  readonly at: Event;
  readonly related: { at: Event; message: string }[];
}

function unbalanced(file: FileFacts, fn: FunctionFacts, found: readonly Violation[], isPython: boolean): Unbalanced | undefined {
  const again = found.find((each) => each.kind === 'again');
  const kinds = new Set(fn.calls.map((call) => kindOf(file, call)));
  if (emptiesStack(file, fn)) return undefined;
  if (again && kinds.has('pop')) return { kind: 'pushed-again', at: again.at, related: [] };
  // In Python nearly every call can raise; the one that is written out says nothing about the others.
  const exits = found.filter((each) => each.kind !== 'again' && !(isPython && each.kind === 'throw'));
  if (!kinds.has('pop')) return undefined;
  if (!kinds.has('push')) return popsOnFailure(fn);
  if (!exits.some((exit) => depthOf(exit.object) === 0 && exit.trace.length > 0)) return undefined;
  const low = exits.find((exit) => depthOf(exit.object) < 0);
  const lastPop = low?.trace.findLast((step) => step.at.kind === 'call' && kindOf(file, step.at) === 'pop');
  if (lastPop && !fn.calls.some((call) => call.id < lastPop.at.id && setsCurrent(call))) return { kind: 'extra-pop', at: lastPop.at, related: [] };
  const last = Math.max(...exits.filter((exit) => depthOf(exit.object) === 0 && exit.trace.length > 0).map(place));
  // Depths that differ at one place depend on something that the analysis does not follow.
  const sure = exits.filter(
    (exit) => !exits.some((other) => other.at === exit.at && other.kind === exit.kind && depthOf(other.object) !== depthOf(exit.object)),
  );
  const high = sure.find((exit) => depthOf(exit.object) > 0 && exit.kind !== 'end' && place(exit) < last);
  const push = high?.trace.findLast((step) => step.at.kind === 'call');
  // A context that is created here and left behind is lost, but it is nobody's turn to pop it.
  if (push?.at.kind === 'call' && makesContext(push.at)) return undefined;
  return high && push && { kind: 'missing-pop', at: high.at, related: [{ at: push.at, message: 'pushed here' }] };
}

/** Where no context was current, this puts one on the stack. */
function setsCurrent({ api }: Call): boolean {
  return /^(cuCtxSetCurrent|(cuda|hip)SetDevice)$/.test(api?.name ?? '');
}

/** Pops in a loop before anything is pushed: all contexts go, and those that were there come back later. */
function emptiesStack(file: FileFacts, fn: FunctionFacts): boolean {
  const moves = fn.calls.filter((call) => kindOf(file, call) !== undefined);
  const firstPush = moves.findIndex((call) => kindOf(file, call) === 'push');
  return moves.slice(0, firstPush < 0 ? moves.length : firstPush).some(inLoop);
}

/** A push or a pop, here or in a helper that does nothing else to the stack. */
function kindOf(file: FileFacts, call: Call): StackCall | undefined {
  const by = stackEffect(file, call);
  return by === 1 ? 'push' : by === -1 ? 'pop' : undefined;
}

/** Where a way out lies in the text; the end of the function comes last. */
function place(exit: Violation): number {
  return exit.kind === 'end' ? Number.POSITIVE_INFINITY : exit.at.id;
}

/** Pops without a push, on some ways only, and what decides is whether a call of this function succeeded. */
function popsOnFailure(fn: FunctionFacts): Unbalanced | undefined {
  if (fn.kind === 'destructor' || fn.degraded) return undefined;
  const pop = fn.calls.find((call) => stackCall(call) === 'pop');
  const entry = fn.events[0];
  if (!pop || !entry || !returnsWithout(entry, (event) => event === pop)) return undefined;
  const deciding = fn.events.filter((event) => event.kind === 'test' && dominates(event, pop) && returnsWithout(event, (each) => each === pop));
  if (deciding.length === 0 || !deciding.every((event) => event.kind === 'test' && isStatus(event, event.expr))) return undefined;
  return { kind: 'pop-on-failure', at: pop, related: [] };
}

/** The test asks how a call of an API went. */
function isStatus(at: Event, expr: Parameters<typeof walk>[0]): boolean {
  return [...walk(expr)].some((part) => {
    const value = part.kind === 'path' ? valueAt(at, part) : part;
    return value !== undefined && value !== 'zero' && value.kind === 'call' && (value.api !== undefined || value.check !== undefined);
  });
}

interface Destroyed {
  readonly at: Call;
  readonly name: string;
  readonly borrowed: Call;
}

const destroyCalls = callsTo(/^cuCtxDestroy$/);
const contextCalls = callsTo(/Ctx|Context/);

/** `cuCtxDestroy` of something that only `cuCtxGetCurrent` or `cuDevicePrimaryCtxRetain` ever wrote, in this file. */
function destroyed(file: FileFacts): Destroyed[] {
  return destroyCalls(file).flatMap((call) => {
    if (!file.subjects.includes(call.fn)) return [];
    const path = pathOf(call.api!.arg('context'));
    if (!path || path.kind === 'param' || path.kind === 'captured') return [];
    const isSame = (each: Call) =>
      samePath(each.api?.path('context'), path) &&
      (path.kind !== 'local' || each.fn === call.fn) &&
      (path.kind !== 'this' || each.fn.className === call.fn.className);
    const writers = contextCalls(file).filter((each) => each.api!.api.params.some((param) => param.name === 'context' && param.out) && isSame(each));
    const borrowed = writers.find((each) => /^(cuCtxGetCurrent|cuDevicePrimaryCtxRetain)$/.test(each.api!.name));
    const isBorrowed =
      borrowed && writers.every((each) => /^(cuCtxGetCurrent|cuDevicePrimaryCtxRetain)$/.test(each.api!.name)) && !isAssigned(file, call, path);
    if (!isBorrowed || isReleasedInstead(call) || (borrowed.fn === call.fn && ![...eventsAfter(borrowed)].includes(call))) return [];
    return [{ at: call, name: file.source(call.api!.arg('context')!), borrowed }];
  });
}

/** Another way through the function gives the primary context back: whoever wrote both tells a borrowed context from one of its own. */
function isReleasedInstead(call: Call): boolean {
  const releases = call.fn.calls.filter((each) => each.api?.name === 'cuDevicePrimaryCtxRelease');
  return releases.some((release) => ![...eventsAfter(release)].includes(call) && ![...eventsAfter(call)].includes(release));
}

/** Something else may have been put into it. */
function isAssigned(file: FileFacts, call: Call, path: NonNullable<ReturnType<typeof pathOf>>): boolean {
  return assignmentsTo(file, pathKey(path)).some(
    ({ fn, value }) => (path.kind !== 'local' || fn === call.fn) && !/^(null|number|init)$/.test(value.kind),
  );
}
