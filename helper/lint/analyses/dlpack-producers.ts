// Producers of the DLPack and CUDA array protocols that take a stream and do not look at it.
import type { Call, FileFacts, FunctionFacts, LambdaExpr, Span } from '../facts/index';
import { expressionsOf, walk } from '../facts/paths';
import { fileQuery } from '../memo/query';
import { functionsWhere } from '../memo/table';

export interface IgnoredStream {
  readonly at: Span;
  readonly producer: string;
}

/** `__dlpack__(stream=...)` of classes whose data is on CUDA and has work pending, in Python and in pybind11 or nanobind bindings. */
export function ignoredStreams(file: FileFacts): IgnoredStream[] {
  return file.language === 'python' ? inPython(file) : inBindings(file);
}

function inPython(file: FileFacts): IgnoredStream[] {
  return file.subjects.flatMap((fn) => {
    if (fn.name !== '__dlpack__' || !fn.className || fn.degraded || !fn.params.some((param) => param.name === 'stream')) return [];
    if (uses(fn, 'stream') || waits(fn) || fn.events.length === 0 || onlyRaises(fn)) return [];
    const methods = file.functionsOfClass(fn.className);
    const isPending = methods.some((method) => method.events.some((event) => expressionsOf(event).some((expr) => [...walk(expr)].some(isOwnStream))));
    const device = methods.find((method) => method.name === '__dlpack_device__');
    return isPending && (!device || isOnCuda(device)) ? [{ at: fn.nameSpan, producer: `${fn.className}.__dlpack__` }] : [];
  });
}

function isOwnStream(expr: { kind: string; path?: { kind: string; steps: readonly string[] } }): boolean {
  return expr.kind === 'path' && expr.path?.kind === 'this' && expr.path.steps.some((step) => /stream|event/i.test(step));
}

/** The parameter is read, or all keyword arguments are passed on. */
function uses(fn: FunctionFacts, name: string): boolean {
  const names = new Set([name, ...fn.params.filter((param) => /^(kw|kwargs|kwds)$/.test(param.name)).map((param) => param.name)]);
  return fn.events.some((event) =>
    expressionsOf(event).some((expr) => [...walk(expr)].some((part) => part.kind === 'path' && names.has(part.path.root))),
  );
}

/** Synchronising the host is a legal way to serve every stream. */
function waits(fn: FunctionFacts): boolean {
  return fn.calls.some((call) => /sync|wait|join|flush|finish/i.test(call.name));
}

function onlyRaises(fn: FunctionFacts): boolean {
  return fn.events.every((event) => event.kind !== 'return');
}

/** `(2, id)`, `(DLDeviceType.kDLCUDA, id)`; a device that is not written as a constant may be the CPU. */
function isOnCuda(fn: FunctionFacts): boolean {
  return fn.events.some((event) => {
    const value = event.kind === 'return' && event.value?.kind === 'init' ? event.value.entries[0]?.value : undefined;
    if (value?.kind === 'number') return value.value === 2;
    return value !== undefined && [...walk(value)].some((part) => part.kind === 'path' && /cuda/i.test(part.path.root + part.path.steps.join('')));
  });
}

function inBindings(file: FileFacts): IgnoredStream[] {
  const found = file.subjects.flatMap((fn) => fn.calls.flatMap((call) => boundIgnoring(call)));
  return found.length > 0 && isOnCudaWithStreams(file) ? found : [];
}

const namingCuda = functionsWhere((_, fn) =>
  fn.events.some((event) =>
    expressionsOf(event).some((expr) => [...walk(expr)].some((part) => part.kind === 'path' && /^kDLCUDA$/.test(part.path.root))),
  ),
);

const isOnCudaWithStreams = fileQuery((file) => {
  const hasStreams = file.classes.some((each) => each.fields.some((field) => /cudaStream_t|CUstream/.test(field.type)));
  return hasStreams && namingCuda(file).length > 0;
});

function boundIgnoring(call: Call): IgnoredStream[] {
  const [name] = call.args;
  const lambda = call.args.find((arg): arg is LambdaExpr => arg.kind === 'lambda')?.fn;
  if (!/^def/.test(call.name) || name?.kind !== 'string' || name.value !== '__dlpack__' || !lambda) return [];
  const stream = lambda.params.find((param) => /stream/i.test(param.name));
  return stream && !uses(lambda, stream.name) && !waits(lambda) ? [{ at: name.span, producer: '__dlpack__' }] : [];
}
