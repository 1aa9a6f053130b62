// What is ended while something that needs it still stands: pairs of `knowledge/parents`, seen from one function.
import type { Call, Event, FileFacts, FunctionFacts, Path } from '../facts/index';
import { expressionsOf, isWithin, mentions, pathKey, pathOf, samePath } from '../facts/paths';
import { reachesWithout } from '../flow/order';
import { resolveCallee } from '../flow/program';
import { typeOfPath } from '../flow/visible';
import { type Parent, parents } from '../knowledge/parents';
import { functionTable, holdsForAny } from '../memo/table';
import { isGuardedByOther } from './handle-fields';
import { endedPath, isNullValue, makesGpuObject, type Reached, reachedCalls, writes, writtenBy } from './releases';
import { throughCalls } from './through-calls';

export function itself(call: Call): Reached {
  return { call, site: call, outer: (path) => path };
}

/** The canonical name; Python's window libraries are known by how their C functions are called. */
export function nameOf(file: FileFacts, call: Call): string {
  const hpp = call.receiver && !call.api ? hppName(file, call) : undefined;
  if (hpp) return hpp;
  if (call.api && !/python|torch|cupy|warp/.test(call.api.api.family)) return call.api.name;
  if (/(^|\.)glfw\.terminate$/.test(call.callee)) return 'glfwTerminate';
  if (/(^|\.)glfw\.destroy_window$/.test(call.callee)) return 'glfwDestroyWindow';
  if (/(^|\.)glfw\.make_context_current$/.test(call.callee)) return 'glfwMakeContextCurrent';
  if (call.name === 'unregister' && call.receiver) return 'cuGraphicsUnregisterResource';
  return call.name;
}

/** `device.destroy()` and `device.destroy(buffer)` of vulkan.hpp: the type of the object decides. */
function hppName(file: FileFacts, call: Call): string | undefined {
  const object = call.name === 'destroy' || call.name === 'free' ? pathOf(call.receiver) : undefined;
  const type = object && typeOfPath(file, call.fn, object);
  if (type !== 'vk::Device' && type !== 'vk::Instance') return undefined;
  const isItself = call.args.length === 0 || isNullValue(call.args[0]!);
  return isItself ? `vkDestroy${type.slice(4)}` : 'vkDestroyHandle';
}

export interface Dependant {
  readonly parent: Parent;
  readonly later: Reached;
  readonly all: readonly Reached[];
  /** Why it may be well: the end waits as long as the thing is current, or nothing but the end of the dependants follows. */
  readonly excuse: 'current' | 'unused' | undefined;
}

/** Something that others could depend on ends in the function, or in what it calls. */
export const endsParents = throughCalls<boolean>(
  4,
  (ofCallee) => (file, fn) =>
    fn.calls.some((call) => {
      const name = nameOf(file, call);
      if (parents.some((parent) => parent.end.test(name))) return true;
      const callee = call.api || !ofCallee ? undefined : resolveCallee(file, call);
      return callee !== undefined && callee !== fn && ofCallee!(file, callee);
    }),
);

/** The first thing that is ended here although calls behind it still need it, with all of those calls; one without excuse before others. */
export function firstDependant(file: FileFacts, ended: Reached, calls: readonly Reached[]): Dependant | undefined {
  const candidates = parents.filter((parent) => parent.end.test(nameOf(file, ended.call)));
  if (candidates.length === 0 || isNullTarget(ended) || !isPlainTeardown(file, ended)) return undefined;
  let excused: Dependant | undefined;
  for (const parent of candidates) {
    if (parent.tie.by === 'thread' && !isTheOnlyOne(file, ended, parent)) continue;
    if (parent.where && ![...callsByName.keys(file)].some((name) => parent.where!.test(name))) continue;
    const all = calls.filter(
      (each) =>
        each.site.id > ended.site.id &&
        parent.needs.test(nameOf(file, each.call)) &&
        isPlainTeardown(file, each) &&
        isTied(file, parent, ended, each),
    );
    const [later] = all;
    const excuse = later && excuseOf(file, parent, { ended, later, calls });
    if (later && !excuse) return { parent, later, all, excuse };
    if (later) excused ??= { parent, later, all, excuse };
  }
  return excused;
}

interface Between {
  readonly ended: Reached;
  readonly later: Reached;
  readonly calls: readonly Reached[];
}

function excuseOf(file: FileFacts, parent: Parent, between: Between): Dependant['excuse'] {
  if (parent.keptWhileCurrent?.test(nameOf(file, between.ended.call))) return isReleased(file, parent, between) ? undefined : 'current';
  return parent.onlyUse && !isUsed(between) ? 'unused' : undefined;
}

/** The thread lets go of what is current before the dependant's turn, and makes nothing else current. */
function isReleased(file: FileFacts, parent: Parent, { later, calls }: Between): boolean {
  const before = calls.slice(0, calls.indexOf(later));
  const release = before.findLast(({ call }) => isMaking(file, call) || nameOf(file, call) === 'eglReleaseThread');
  if (!release || (isMaking(file, release.call) && !setsNone(release.call))) return false;
  return release.site === later.site || reachesWithout(release.site, later.site, (event) => renews(file, event, parent, undefined));
}

function isMaking(file: FileFacts, call: Call): boolean {
  return /Make\w*Current$/.test(nameOf(file, call));
}

/** Between the two something else than its end gets the dependant. */
function isUsed({ ended, later }: Between): boolean {
  const dependant = ended.site.fn === later.site.fn ? later.outer(endedPath(later.call)) : undefined;
  if (!dependant) return false;
  const uses = (event: Event) => expressionsOf(event).some((expr) => mentions(expr, dependant));
  return later.site.fn.calls.some((call) => call.id > ended.site.id && call.id < later.site.id && uses(call));
}

/** Here, or in a helper that does nothing but tear down and does it on every way. */
function isPlainTeardown(file: FileFacts, { call, site }: Reached): boolean {
  if (call === site) return true;
  const helper = resolveCallee(file, site);
  const target = call.api && endedPath(call);
  if (!helper || isGuardedByOther(call, target ?? nowhere)) return false;
  return ![...reachedCalls(file, helper)].some((each) => makesGpuObject(each.call) || (!each.call.api && mayRenew.test(each.call.name)));
}

const nowhere: Path = { root: '', kind: 'global', steps: [] };

function isNullTarget({ call }: Reached): boolean {
  const target = call.api && endedPath(call);
  return call.args.length > 0 && call.api !== undefined && target !== undefined && isNullValue({ kind: 'path', path: target, span: call.span });
}

function isTied(file: FileFacts, parent: Parent, ended: Reached, later: Reached): boolean {
  const target = targetOf(ended, parent);
  const isFresh = (event: Event) => event !== ended.site && renews(file, event, parent, target);
  if (!reachesWithout(ended.site, later.site, isFresh)) return false;
  const { tie } = parent;
  if (tie.by === 'thread') return true;
  if (!target) return false;
  if (tie.by === 'param') return samePath(later.outer(later.call.api ? later.call.api.path(tie.param) : pathOf(later.call.receiver)), target);
  const dependant = later.outer(endedPath(later.call));
  return dependant !== undefined && ownerKey(dependant) === ownerKey(target) && !isLinear(file);
}

function targetOf({ call, outer }: Reached, parent: Parent): Path | undefined {
  if (!call.api && call.receiver) return outer(pathOf(call.receiver));
  const names = parent.param.split('|');
  for (const name of names) {
    const path = call.api?.path(name);
    if (path) return outer(endedPath(call) ?? path);
  }
  return undefined;
}

/** What holds the thing: `a->x` hangs on `a`; locals and parameters hang on their function. */
function ownerKey(path: Path): string {
  const steps = path.steps.slice(0, -1);
  if (path.steps.length === 0) return path.kind === 'global' ? '<global>' : '<local>';
  return pathKey({ ...path, steps });
}

/** Texture objects over linear memory have nothing to do with arrays. */
function isLinear(file: FileFacts): boolean {
  return makingLinear(file);
}

const makingLinear = holdsForAny((_, fn) =>
  fn.events.some(
    (event) =>
      event.kind === 'assign' &&
      event.value?.kind === 'path' &&
      /ResourceType(Linear|Pitch2D)|RESOURCE_TYPE_(LINEAR|PITCH2D)/.test(event.value.path.root),
  ),
);

const mayRenew =
  /create|init|make|current|bind|begin|open|setup|restore|activate|enter|start|attach|push|switch|select|alloc|new|build|load|resize|reset|prepare|configure|renew/i;

/** The event gives the dependants something new to stand on, or may. */
function renews(file: FileFacts, event: Event, parent: Parent, target: Path | undefined): boolean {
  const isCleared = event.kind === 'assign' && event.value !== undefined && isNullValue(event.value);
  if (target && !isCleared && writes(event, target)) return true;
  if (event.kind !== 'call') return false;
  if (parent.renewed?.test(nameOf(file, event)) && !setsNone(event)) return true;
  if (event.api || isEmptied(event)) return false;
  if (!resolveCallee(file, event)) return mayRenew.test(event.name) || handsOver(event, target);
  const inside = [...reachedCalls(file, event.fn)].filter((each) => each.site === event && each.call !== event);
  return inside.some((each) => (parent.renewed?.test(nameOf(file, each.call)) && !setsNone(each.call)) || (target && fills(each, target)));
}

/** The helper that makes this call gives the target a value. */
function fills({ call, outer }: Reached, target: Path): boolean {
  const isTarget = (path: Path | undefined) => {
    const seen = outer(path);
    return seen !== undefined && isWithin(target, seen);
  };
  return (
    writtenBy(call).some(isTarget) ||
    call.fn.events.some((event) => event.kind === 'assign' && event.value && !isNullValue(event.value) && isTarget(pathOf(event.target)))
  );
}

/** `owner.reset()`: without a new value nothing stands where the old one stood. */
function isEmptied({ name, receiver, args }: Call): boolean {
  return receiver !== undefined && args.length === 0 && /^(reset|clear)$/.test(name);
}

const endsOnly = /^_*(destroy|free|release|clean|clear|delete|unregister|close|log|print|wait|stop|shut|finish|unmap|detach|remove)/i;

/** Code that nobody sees gets what holds the target, or a pointer to it, and may put another in its place. */
function handsOver(call: Call, target: Path | undefined): boolean {
  if (!target || endsOnly.test(call.name)) return false;
  const given = call.args.map((arg) =>
    arg.kind === 'unary' && arg.op === '&' ? { path: pathOf(arg.operand), isAddress: true } : { path: pathOf(arg), isAddress: false },
  );
  return given.some(({ path, isAddress }) => path && isWithin(target, path) && (isAddress || path.steps.length < target.steps.length));
}

function setsNone(call: Call): boolean {
  const context = call.api?.arg('context') ?? call.args.at(-1);
  return context !== undefined && isNullValue(context);
}

const callsByName = functionTable((file, fn) => fn.calls.map((call) => [nameOf(file, call), call] as const));

/** What is current for the thread is what ends here: the file has one such thing, and nothing else was made current before. */
function isTheOnlyOne(file: FileFacts, ended: Reached, parent: Parent): boolean {
  const target = ended.outer(pathOf(ended.call.api?.arg(parent.param) ?? ended.call.args.at(-1)));
  const last = lastMadeCurrent(file, ended.site);
  if (last && !setsNone(last)) return !target || samePath(pathOf(last.api?.arg('context') ?? last.args.at(-1)), target);
  const ends = callsByName.of(file, nameOf(file, ended.call)).filter((call) => parent.end.test(nameOf(file, call)));
  const names = new Set(ends.map((call) => lastOf(pathOf(call.api?.arg(parent.param) ?? call.args.at(-1)))));
  return names.size <= 1;
}

function lastMadeCurrent(file: FileFacts, site: Event): Call | undefined {
  const { fn }: { fn: FunctionFacts } = site;
  return fn.calls.findLast((call) => call.id < site.id && /Make\w*Current$|CtxSetCurrent$/.test(nameOf(file, call)));
}

function lastOf(path: Path | undefined): string {
  return path ? (path.steps.at(-1) ?? path.root) : '';
}
