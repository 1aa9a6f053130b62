// Python: each framework has a current stream of its own. Data of one framework's side stream in the hands of another one's work.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathOf, samePath, walk } from '../facts/paths';
import { holdsForAny } from '../memo/table';
import { isKernelLaunch, isTensorCall, producedIn, type StreamScope, streamScopes } from './python-streams';

export type Framework = 'torch' | 'warp' | 'cupy';

export interface ForeignWork {
  readonly work: Call;
  readonly by: Framework;
  readonly scope: StreamScope;
  readonly of: Framework;
  readonly data: Path;
  /** Where the data comes about. */
  readonly produced: Event;
}

/** Work inside a scope that makes a stream of one framework current, done by another framework on its own stream. */
export function foreignWork(file: FileFacts, fn: FunctionFacts): ForeignWork[] {
  const scopes = streamScopes(fn, file);
  return scopes.flatMap((scope) => {
    const of = frameworkOfScope(scope.begin);
    return of ? worksIn(file, fn, scope, of) : [];
  });
}

function frameworkOfScope(begin: Event): Framework | undefined {
  const context = begin.kind === 'scopeBegin' ? begin.context : undefined;
  if (context?.kind === 'call') return /^torch\./.test(context.callee) ? 'torch' : /^warp\./.test(context.callee) ? 'warp' : undefined;
  return context ? 'cupy' : undefined;
}

function worksIn(file: FileFacts, fn: FunctionFacts, scope: StreamScope, of: Framework): ForeignWork[] {
  if (setters(file)) return [];
  const { begin, end } = scope;
  const inside = fn.calls.filter((call) => call.id > begin.id && call.id < end.id);
  const produced = of === 'warp' ? launchedInto(inside) : producedIn(fn, scope).filter(({ at }) => isOf(of, at));
  return inside.flatMap((work) => {
    const by = frameworkOf(work);
    if (!by || by === of || namesStream(work) || hasOtherStream(fn, scope, work)) return [];
    const source = produced.find(({ path, at }) => at.id < work.id && touches(fn, work, path));
    if (!source || inside.some((call) => call.id > source.at.id && call.id <= work.id && joins(call))) return [];
    return [{ work, by, scope, of, data: source.path, produced: source.at }];
  });
}

/** `warp.set_stream`, `torch.cuda.set_stream`: what is current is decided elsewhere. */
const setters = holdsForAny((_, fn) => fn.calls.some((call) => /^(set_stream|use)$/.test(call.name)));

/** What a launch of Warp writes: arrays among its outputs. */
function launchedInto(calls: readonly Call[]): { path: Path; at: Event }[] {
  return calls.flatMap((call) => {
    const outputs = isWarpLaunch(call) ? call.keywords.get('outputs') : undefined;
    const parts = outputs?.kind === 'init' ? outputs.entries.map(({ value }) => pathOf(value)) : [];
    return parts.flatMap((path) => (path ? [{ path, at: call }] : []));
  });
}

/** The value is made by this framework, as far as its call tells. */
function isOf(framework: Framework, at: Event): boolean {
  const value = at.kind === 'assign' ? at.value : undefined;
  if (value?.kind !== 'call') return true;
  const by = frameworkOf(value);
  return by === undefined || by === framework;
}

function isWarpLaunch(call: Call): boolean {
  return /^warp\.launch(_tiled)?$/.test(call.callee);
}

function frameworkOf(call: Call): Framework | undefined {
  if (isWarpLaunch(call)) return 'warp';
  if (isKernelLaunch(call)) return 'cupy';
  if (!isTensorCall(call) || views.test(call.name)) return undefined;
  return /^cupy\./.test(call.callee) ? 'cupy' : /^torch\./.test(call.callee) ? 'torch' : undefined;
}

/** The call says itself on which stream it is done. */
function namesStream(call: Call): boolean {
  return call.keywords.has('stream');
}

/** Another `with` around the work sets a stream too, of whatever framework: `with wp.ScopedStream(...)`, `with stream:`. */
function hasOtherStream({ events }: FunctionFacts, scope: StreamScope, work: Call): boolean {
  return events.some((event) => {
    if (event.kind !== 'scopeBegin' || event.id > work.id || event === scope.begin || !maySetStream(event.context)) return false;
    const end = events.find((each) => each.kind === 'scopeEnd' && each.context === event.context);
    return end !== undefined && end.id > work.id;
  });
}

function maySetStream(context: Expr): boolean {
  return context.kind === 'path' || (context.kind === 'call' && /stream|capture|graph/i.test(context.callee));
}

/** What only points at the same memory, without a wait. `from_dlpack` makes the consumer's stream wait. */
const views = /^(from_torch|to_torch|asarray|as_tensor|view|reshape|contiguous|flatten|squeeze|unsqueeze|array|detach)$/;

/** The work gets the data, or a view of it. */
function touches(fn: FunctionFacts, work: Call, path: Path): boolean {
  const names = viewsOf(fn, path, work);
  return [...work.args, ...work.keywords.values()].some((arg) => isGiven(arg, names));
}

/** The thing itself, in a list or not; not something that is only read off it, such as a size. */
function isGiven(arg: Expr, names: readonly Path[]): boolean {
  if (arg.kind === 'init') return arg.entries.some(({ value }) => isGiven(value, names));
  if (arg.kind === 'call' && views.test(arg.name)) return [arg.receiver, ...arg.args].some((each) => each && isGiven(each, names));
  return arg.kind === 'path' && names.some((name) => samePath(arg.path, name));
}

function viewsOf(fn: FunctionFacts, path: Path, before: Call): Path[] {
  const names = [path];
  for (const event of fn.events) {
    if (event.id >= before.id || event.kind !== 'assign' || event.op !== '=' || !event.value) continue;
    const target = pathOf(event.target);
    if (!target) continue;
    const isView = isGiven(event.value, names) && event.value.kind !== 'init';
    const at = names.findIndex((name) => samePath(name, target));
    if (isView && at < 0) names.push(target);
  }
  return names;
}

/** Somebody waits, or may. */
function joins(call: Call): boolean {
  if (/wait|sync|join|from_dlpack|current_stream|record|query/i.test(call.name)) return true;
  const isKnown = call.api !== undefined || isTensorCall(call) || isKernelLaunch(call) || views.test(call.name) || isWarpLaunch(call);
  return (
    !isKnown &&
    [...call.args, ...call.keywords.values()].some((arg) => [...walk(arg)].some((part) => part.kind === 'path' && /stream/i.test(lastOf(part.path))))
  );
}

function lastOf(path: Path): string {
  return path.steps.at(-1) ?? path.root;
}
