/**
 * # device/not-current
 *
 * ## What it does
 * Reports CUDA driver calls that need a context as the first thing on a new thread (`std::thread`, `std::jthread`, `std::async`,
 * `pthread_create`), without `cuCtxSetCurrent` or `cuCtxPushCurrent` before. Python: work on a mapped output inside a block that makes
 * another, literal device current.
 *
 * ## Why is this bad
 * The current context belongs to the thread that set it; a new thread has none, and the call fails with `CUDA_ERROR_INVALID_CONTEXT`, or
 * meets the context that a library left behind. Work that is issued for another device than the output's is refused or copies.
 *
 * ## Example
 * ```cpp
 * #include <cuda.h>
 * #include <thread>
 * void copy_later(CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream) {
 *     std::thread worker([=] {
 *         cuMemcpyDtoDAsync(target, source, bytes, stream);
 *         cuStreamSynchronize(stream);
 *     });
 *     worker.join();
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda.h>
 * #include <thread>
 * void copy_later(CUcontext context, CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream) {
 *     std::thread worker([=] {
 *         if (cuCtxSetCurrent(context) != CUDA_SUCCESS) return;
 *         cuMemcpyDtoDAsync(target, source, bytes, stream);
 *         cuStreamSynchronize(stream);
 *     });
 *     worker.join();
 * }
 * ```
 *
 * ## What it cannot see
 * Thread pools, and helpers of other files that may set the context: any unknown call before counts as one. The runtime API makes the
 * primary context current itself and is no subject of this rule.
 */
import { cudaMappings, isPythonWork, usesView } from '../../analyses/python-mappings';
import type { Call, Event, Expr, FileFacts, FunctionFacts } from '../../facts/index';
import { lastName, pathOf, stripCasts, symbolOf } from '../../facts/paths';
import { dominates } from '../../flow/order';
import { resolveCallee } from '../../flow/program';
import { defineRule } from '../rule';

interface Data {
  readonly kind: 'thread' | 'other-device';
  readonly name: string;
  readonly device: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'device/not-current',
    summary: 'CUDA work is issued where its context or device was not made current.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ kind, name, device }) {
    return kind === 'thread'
      ? `\`${name}\` is the first CUDA call of this thread, which has no current context: it fails with CUDA_ERROR_INVALID_CONTEXT. Call cuCtxSetCurrent first.`
      : `\`${name}\` works on the mapped output while \`${device}\` is current, whatever device the output is on. Make the output's own device current: its \`device.device_id\`.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (file.language === 'python') {
        for (const { at, name, device } of onOtherDevice(file, fn)) report({ at, data: { kind: 'other-device', name, device } });
        continue;
      }
      for (const { body, start } of threadsOf(file, fn)) {
        const first = firstWithoutContext(file, body);
        if (first)
          report({ at: first, data: { kind: 'thread', name: first.name, device: '' }, related: [{ at: start, message: 'the thread starts here' }] });
      }
    }
  },
});

/** Bodies that run on a thread of their own: lambdas, and functions of the file by name. */
function threadsOf(file: FileFacts, fn: FunctionFacts): { body: FunctionFacts; start: Call }[] {
  return fn.calls.flatMap((call) => {
    const isThread =
      /^(std::)?(thread|jthread)$/.test(call.name) ||
      /^(std::)?async$|^pthread_create$/.test(call.callee) ||
      (call.form === 'call' && /^std::j?thread$/.test(call.callee));
    // A deferred call runs on the thread that asks for the result.
    if (!isThread || call.args.some((arg) => symbolOf(arg) === 'deferred')) return [];
    const body = call.args.map((arg) => functionOf(file, arg)).find((found) => found !== undefined);
    return body ? [{ body, start: call }] : [];
  });
}

function functionOf(file: FileFacts, arg: Expr): FunctionFacts | undefined {
  const bare = stripCasts(arg);
  if (bare.kind === 'lambda') return bare.fn;
  const path = pathOf(bare);
  if (!path || path.kind === 'local' || path.kind === 'param') return undefined;
  const named = file.functionsNamed(lastName(path).split('::').at(-1)!);
  return named.length === 1 ? named[0] : undefined;
}

const needsContext =
  /^cu(Mem(Alloc|Free|cpy|set)|Stream(Create|Wait)|Event(Create|Record)|Launch|Import|ExternalMemory|Signal|Wait|Graphics|Array|MipmappedArray|TexObject|SurfObject|Module|CtxSynchronize)/;
const harmless = /^(cuInit|cuDeviceGet\w*|cuCtxGetCurrent|cuDriverGetVersion|cuGetErrorString|cuGetErrorName)$/;

/** The first driver call that needs a context, when nothing before it can have set one. */
function firstWithoutContext(file: FileFacts, body: FunctionFacts): Call | undefined {
  if (body.degraded) return undefined;
  const first = body.calls.find((call) => call.api?.api.family === 'cuda-driver' && needsContext.test(call.api.name));
  if (!first) return undefined;
  const before = body.events.filter((event) => event.id < first.id);
  return before.some((event) => maySet(file, event, 4)) ? undefined : first;
}

/** Sets a context, or may: unknown functions, constructors of guards, methods, the runtime API. */
function maySet(file: FileFacts, event: Event, depth: number): boolean {
  if (event.kind !== 'call') return false;
  if (event.api) return !harmless.test(event.api.name) && /^(cuda-driver|cuda-runtime|cuvid|hip)$/.test(event.api.api.family);
  if (
    /^(print\w*|log\w*|std::\w+|sleep_for|load|store|wait|lock|unlock|empty|size|front|pop|push|to_string|stop_requested|string|unique_lock|lock_guard)$/.test(
      event.name,
    )
  )
    return false;
  const callee = resolveCallee(file, event);
  return callee && depth > 0 ? callee.events.some((inner) => maySet(file, inner, depth - 1)) : true;
}

const literalDevice = /^(torch\.cuda\.device|cupy\.cuda\.Device|warp\.ScopedDevice)$/;

/** Work on a mapped output inside `with wp.ScopedDevice("cuda:1")`: a literal that does not come from the output. */
function onOtherDevice(file: FileFacts, fn: FunctionFacts): { at: Call; name: string; device: string }[] {
  return cudaMappings(fn).flatMap((mapping) => {
    const work = fn.calls.filter((call) => call.id > mapping.call.id && isPythonWork(call) && usesView(call, mapping.names));
    return work.flatMap((call) => {
      const scope = fn.events.findLast(
        (event) => event.kind === 'scopeBegin' && dominates(event, call) && isLiteralDevice(event.context) && !isEnded(fn, event.context, call),
      );
      const context = scope?.kind === 'scopeBegin' && scope.context.kind === 'call' ? scope.context : undefined;
      const isFirst = context && call === work.find((each) => dominates(scope!, each));
      return context && isFirst ? [{ at: call, name: call.name, device: file.source(context.args[0]!).replace(/["']/g, '') }] : [];
    });
  });
}

/** A device that is written down, other than 0, which is the business of device/hardcoded-ordinal. */
function isLiteralDevice(context: Expr): boolean {
  if (context.kind !== 'call' || !literalDevice.test(context.callee)) return false;
  const [device] = context.args;
  return (
    (device?.kind === 'number' && device.value > 0) || (device?.kind === 'string' && device.parts.length === 0 && /^cuda:[1-9]/.test(device.value))
  );
}

function isEnded(fn: FunctionFacts, context: Expr, before: Call): boolean {
  return fn.events.some((event) => event.kind === 'scopeEnd' && event.context === context && event.id < before.id && dominates(event, before));
}
