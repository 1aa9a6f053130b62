// CUDA ordinals in code: where one is written down, where it comes from, and whether the function chooses a device by it.
import type { Call, Expr, FileFacts, Path } from '../facts/index';
import { pathOf, samePath, stripCasts, walk } from '../facts/paths';
import { valueAt } from '../flow/definitions';
import { resolveCallee } from '../flow/program';
import { matchesDevices } from './device-identity';
import { type Asks, throughCalls } from './through-calls';

/** Calls that take a CUDA ordinal, and the argument that is it. */
export function ordinalArgument(call: Call): Expr | undefined {
  const { api } = call;
  if (
    !api ||
    !/^((cuda|hip)SetDevice|cudaGLSetGLDevice|(cuda|hip)GetDeviceProperties|(cu|hip)DeviceGet|(cuda|hip)DeviceGetPCIBusId|cudaInitDevice|(cuda|hip)DeviceGetAttribute)$/.test(
      api.name,
    )
  )
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
export const ordinalParameter = throughCalls<number | undefined>(3, (ofCallee) => (file, fn) => {
  for (const call of fn.calls) {
    const arg = ordinalArgument(call) ?? forwarded(file, call, ofCallee);
    const path = arg && pathOf(arg);
    const at = path?.kind === 'param' && path.steps.length === 0 ? fn.params.findIndex((param) => param.name === path.root) : -1;
    if (at >= 0) return at;
  }
  return undefined;
});

function forwarded(file: FileFacts, call: Call, ofCallee: Asks<number | undefined> | undefined): Expr | undefined {
  const callee = call.api || !ofCallee ? undefined : resolveCallee(file, call);
  const at = callee && callee !== call.fn ? ofCallee!(file, callee) : undefined;
  return at === undefined ? undefined : call.args[at];
}

/** The function compares device UUIDs, itself or in what it calls. */
export const choosesDevice = throughCalls<boolean>(3, (ofCallee) => (file, fn) => {
  if (matchesDevices(fn)) return true;
  if (!ofCallee) return false;
  return fn.calls.some((call) => {
    const callee = call.api ? undefined : resolveCallee(file, call);
    return callee !== undefined && callee !== fn && ofCallee(file, callee);
  });
});

/** The expression reads the path, casts and arithmetic included. */
export function readsPath(expr: Expr | undefined, path: Path): boolean {
  return expr !== undefined && [...walk(expr)].some((part) => part.kind === 'path' && samePath(part.path, path));
}
