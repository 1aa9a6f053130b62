// Pointers and arrays of a mapped resource that a function gets for later, although it ends the mapping itself.
import type { Call, Event, Expr, FunctionFacts, Path } from '../facts/index';
import { childrenOf, expressionsOf, pathOf, samePath, walk } from '../facts/paths';
import { eventsAfter } from '../flow/order';

export interface KeptMapping {
  readonly got: Call;
  readonly end: Call;
  readonly path: Path;
}

const gets = /^(cu|cuda|hip)Graphics(Sub)?ResourceGetMapped\w+$/;
const unmaps = /^(cu|cuda|hip)GraphicsUnmapResources$/;

export function keptMappings(fn: FunctionFacts): KeptMapping[] {
  return fn.calls.flatMap((got) => {
    const path = gets.test(got.api?.name ?? '') ? keptPath(fn, got) : undefined;
    const resource = got.api?.path('resource');
    if (!path || !resource) return [];
    const end = fn.calls.find((call) => call.id > got.id && unmaps.test(call.api?.name ?? '') && samePath(call.api!.path('resource'), resource));
    if (!end || ![...eventsAfter(got)].includes(end) || fn.events.some((event) => isUsed(event, { got, end, path }))) return [];
    return [{ got, end, path }];
  });
}

/** A field, a global variable, or what the caller passed to be filled: nobody needs it for this function alone. */
function keptPath(fn: FunctionFacts, { api }: Call): Path | undefined {
  const name = ['ptr', 'array', 'chain'].find((each) => api!.arg(each));
  const path = name && api!.path(name);
  if (!path || path.steps.some((step) => step.startsWith('['))) return undefined;
  if (path.kind === 'this' || path.kind === 'global') return path;
  if (path.kind !== 'param' || path.steps.length > 0) return undefined;
  const type = fn.params.find((each) => each.name === path.root)?.type ?? '';
  const isAddress = [...walk(api!.arg(name!)!)].some((part) => part.kind === 'unary' && part.op === '&');
  return (isAddress ? /&$/ : /\*$/).test(type.trim()) ? path : undefined;
}

/** Between both, or given another value behind: then it was meant for here. A call of its own may use what it likes. */
function isUsed(event: Event, { got, end, path }: KeptMapping): boolean {
  if (event.id <= got.id || event === end) return false;
  if (event.kind === 'assign' && samePath(pathOf(event.target), path)) return true;
  if (event.id > end.id) return event.kind === 'call' && gets.test(event.api?.name ?? '');
  if (event.kind === 'escape') return true;
  if (event.kind === 'call' && !event.api && !event.args.some((arg) => hasCall(arg)) && !/print|log|assert|check/i.test(event.name)) return true;
  return expressionsOf(event).some((expr) => mentions(expr, path));
}

function hasCall(expr: Expr): boolean {
  return [...walk(expr)].some((part) => part.kind === 'call' && part.api);
}

/** What a call inside is given is that call's affair, an event of its own. */
function mentions(expr: Expr, path: Path): boolean {
  if (expr.kind === 'path') return samePath(expr.path, path);
  if (expr.kind === 'call' && gets.test(expr.api?.name ?? '')) return false;
  return childrenOf(expr).some((each) => mentions(each, path));
}
