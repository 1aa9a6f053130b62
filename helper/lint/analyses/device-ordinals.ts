// CUDA ordinals in code: where one is written down, where it comes from, and whether the function chooses a device by it.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { resolveCallee } from '../flow/program';
import { matchesDevices } from './device-identity';

/** Calls that take a CUDA ordinal, and the argument that is it. */
export function ordinalArgument(call: Call): Expr | undefined {
  const { api } = call;
  if (!api || !/^(cudaSetDevice|cudaGetDeviceProperties|cuDeviceGet|cudaDeviceGetPCIBusId|cudaInitDevice|cudaDeviceGetAttribute)$/.test(api.name))
    return undefined;
  return api.arg('ordinal');
}

/** 0 as written, or a local that is never anything else. */
export function isZero(call: Call, expr: Expr | undefined): boolean {
  if (!expr) return false;
  const value = valueAt(call, stripCasts(expr));
  if (value === 'zero') return true;
  if (value?.kind === 'init') return value.entries.length === 0;
  return value?.kind === 'number' && value.value === 0;
}

/** The position of the parameter that the function uses as an ordinal, here or in what it calls. */
export function ordinalParameter(file: FileFacts, fn: FunctionFacts, depth = 3): number | undefined {
  const positions = fn.calls.flatMap((call) => {
    const arg = ordinalArgument(call) ?? forwarded(file, call, depth);
    const path = arg && pathOf(arg);
    const at = path?.kind === 'param' && path.steps.length === 0 ? fn.params.findIndex((param) => param.name === path.root) : -1;
    return at >= 0 ? [at] : [];
  });
  return positions[0];
}

function forwarded(file: FileFacts, call: Call, depth: number): Expr | undefined {
  const callee = call.api || depth === 0 ? undefined : resolveCallee(file, call);
  const at = callee && callee !== call.fn ? ordinalParameter(file, callee, depth - 1) : undefined;
  return at === undefined ? undefined : call.args[at];
}

/** The function compares device UUIDs, itself or in what it calls. */
export function choosesDevice(file: FileFacts, fn: FunctionFacts, depth = 3): boolean {
  if (matchesDevices(fn)) return true;
  return (
    depth > 0 &&
    fn.calls.some((call) => {
      const callee = call.api ? undefined : resolveCallee(file, call);
      return callee !== undefined && callee !== fn && choosesDevice(file, callee, depth - 1);
    })
  );
}

/** The expression reads the path, casts and arithmetic included. */
export function readsPath(expr: Expr | undefined, path: Path): boolean {
  return expr !== undefined && [...walk(expr)].some((part) => part.kind === 'path' && samePath(part.path, path));
}
