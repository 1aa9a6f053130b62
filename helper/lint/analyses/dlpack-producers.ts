// Producers of the DLPack and CUDA array protocols that take a stream and do not look at it.
import type { Call, Expr, FileFacts, FunctionFacts, LambdaExpr, Span, Variable } from '../facts/index';
import { expressionsOf, pathOf, stripCasts, walk } from '../facts/paths';
import { fileQuery } from '../memo/query';
import { holdsForAny } from '../memo/table';

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
    if (fn.name !== '__dlpack__' || !fn.className || fn.degraded || !ignores(fn)) return [];
    if (waits(fn) || fn.events.length === 0 || onlyRaises(fn)) return [];
    const methods = file.functionsOfClass(fn.className);
    const hasStream = methods.some(makesStream);
    const isPending =
      hasStream || methods.some((method) => method.events.some((event) => expressionsOf(event).some((expr) => [...walk(expr)].some(isOwnStream))));
    const device = methods.find((method) => method.name === '__dlpack_device__');
    const isCuda = !device || isOnCuda(device) || (handsOn(device) && hasStream);
    return isPending && isCuda ? [{ at: fn.nameSpan, producer: `${fn.className}.__dlpack__` }] : [];
  });
}

function isOwnStream(expr: { kind: string; path?: { kind: string; steps: readonly string[] } }): boolean {
  return expr.kind === 'path' && expr.path?.kind === 'this' && expr.path.steps.some((step) => /stream|event/i.test(step));
}

/** It takes the stream, by name or among others, and does not read it. */
function ignores(fn: FunctionFacts): boolean {
  const named = fn.params.find((param) => param.name === 'stream') ?? fn.params.find((param) => /^\**(kw|kwargs|kwds)$/.test(param.name));
  return named !== undefined && !uses(fn, named.name.replace(/^\*+/, ''));
}

/** The parameter is read, for more than to be deleted. */
function uses(fn: FunctionFacts, name: string): boolean {
  return fn.events.some(
    (event) =>
      !(event.kind === 'call' && event.name === 'del') &&
      expressionsOf(event).some((expr) => [...walk(expr)].some((part) => part.kind === 'path' && part.path.root === name)),
  );
}

/** `return self._array.__dlpack_device__()`: the device of what it holds. */
function handsOn(fn: FunctionFacts): boolean {
  return fn.calls.some((call) => call.name === '__dlpack_device__');
}

/** Its own stream is one of CUDA's. */
function makesStream(fn: FunctionFacts): boolean {
  return fn.events.some(
    (event) =>
      event.kind === 'assign' &&
      event.target.kind === 'path' &&
      event.target.path.kind === 'this' &&
      event.value?.kind === 'call' &&
      /^(cupy\.cuda\.Stream|torch\.cuda\.Stream|warp\.Stream|numba\.cuda\.stream|pycuda\.driver\.Stream)$/.test(event.value.callee),
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
  const found = file.subjects.flatMap((fn) => fn.calls.flatMap((call) => boundIgnoring(file, call)));
  return found.length > 0 && isOnCudaWithStreams(file) ? found : [];
}

const namingCuda = holdsForAny((_, fn) =>
  fn.events.some((event) =>
    expressionsOf(event).some((expr) => [...walk(expr)].some((part) => part.kind === 'path' && /^kDLCUDA$/.test(part.path.root))),
  ),
);

const isOnCudaWithStreams = fileQuery((file) => {
  const hasStreams = file.classes.some((each) => each.fields.some((field) => /cudaStream_t|CUstream/.test(field.type)));
  return hasStreams && namingCuda(file);
});

function boundIgnoring(file: FileFacts, call: Call): IgnoredStream[] {
  const [name] = call.args;
  if (!/^def/.test(call.name) || name?.kind !== 'string' || name.value !== '__dlpack__') return [];
  const lambda = call.args.find((arg): arg is LambdaExpr => arg.kind === 'lambda')?.fn;
  const producer = lambda ?? pointedTo(file, call.args[1]);
  const stream = producer && (producer.params.find((param) => /stream/i.test(param.name)) ?? unnamedStream(call, producer));
  return stream && !(stream.name && uses(producer, stream.name)) && !waits(producer) ? [{ at: name.span, producer: '__dlpack__' }] : [];
}

/** `&Frame::dlpack` and `&dlpack_of`, where the file shows the body. */
function pointedTo(file: FileFacts, arg: Expr | undefined): FunctionFacts | undefined {
  const bare = arg && stripCasts(arg);
  const path = bare?.kind === 'unary' && bare.op === '&' ? pathOf(bare.operand) : pathOf(bare);
  const [name, className] = path && path.steps.length === 0 ? path.root.split('::').reverse() : [];
  const found = name ? file.functionsNamed(name).filter((fn) => !className || fn.className === className) : [];
  return found.length === 1 ? found[0] : undefined;
}

/** A parameter without a name cannot be read; the binding says that it is the stream. */
function unnamedStream(call: Call, producer: FunctionFacts): Variable | undefined {
  const saysSo = call.args.some((arg) => [...walk(arg)].some((part) => part.kind === 'string' && part.value === 'stream'));
  return saysSo ? producer.params.find((param, i) => i > 0 && param.name === '') : undefined;
}
