// Semaphores that Vulkan and CUDA share and that the Vulkan side of a file never hands to a queue: nothing orders the two there.
import type { Call, ClassFacts, Event, Expr, FileFacts, FunctionFacts, Variable } from '../facts/index';
import { expressionsOf, lastName, pathOf, walk, withoutLast } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { elementType } from '../flow/owner-types';
import { resolveCallee } from '../flow/program';
import { typeOfPath } from '../flow/visible';
import { fileQuery } from '../memo/query';
import { functionTable } from '../memo/table';
import { type Reached, reachedCalls } from './releases';
import { isHeader } from './static-ends';
import { copiesToHost, mayWait, unorderedBetween, type Work, waitsForStream, workOf } from './stream-order';

export interface Unordered {
  /** The submit, or the call of the helper that submits. */
  readonly submit: Call;
  readonly work: Call;
  /** The semaphore that was made for this. */
  readonly semaphore: string;
}

/** Submits behind CUDA work of which the shared semaphore, that nobody hands to a queue, would have told. */
export function submitsPastTwins(file: FileFacts, fn: FunctionFacts): Unordered[] {
  if (fn.degraded || isHeader(file.path)) return [];
  const semaphore = idleTwins(file).length > 0 ? twinOf(file, fn)?.name : undefined;
  if (semaphore === undefined) return [];
  const reached = [...reachedCalls(file, fn)];
  const works = reached.flatMap((each) => workAt(file, each, reached) ?? []);
  const submits = works.length > 0 ? reached.filter(({ call }) => isSubmit(call)) : [];
  return submits.flatMap(({ call, site }) => {
    const work = works.findLast((each) => each.site !== site && unorderedBetween(file, each.site, site, (inner) => orders(file, inner, each.work)));
    return work && (site === call || !hasWork(file, site, reached)) ? [{ submit: site, work: work.work.call, semaphore }] : [];
  });
}

interface At {
  readonly work: Work;
  readonly site: Call;
}

/** Work that its helper does not wait for. */
function workAt(file: FileFacts, { call, site }: Reached, reached: readonly Reached[]): At | undefined {
  const work = workOf(file, call);
  if (!work || copiesToHost(call) || /HtoD|HostToDevice/.test(file.source(call))) return undefined;
  const isWaitedFor =
    site !== call &&
    reached.some((each) => each.site === site && each.call !== call && mayWait(file, each.call, (inner) => orders(file, inner, work), 0));
  return isWaitedFor ? undefined : { work, site };
}

function hasWork(file: FileFacts, site: Call, reached: readonly Reached[]): boolean {
  return reached.some((each) => each.site === site && workOf(file, each.call) !== undefined);
}

function orders(file: FileFacts, call: Call, work: Work): boolean {
  return waitsForStream(file, call, work.key) || /WaitIdle$/.test(call.api?.name ?? '');
}

function isSubmit({ api }: Call): boolean {
  return /^vkQueueSubmit2?$/.test(api?.name ?? '');
}

const vulkans = /^(VkSemaphore|vk::(raii::|Unique)?Semaphore)$/;
const cudas = /^(cudaExternalSemaphore_t|CUexternalSemaphore|hipExternalSemaphore_t)$/;
const shared = /cuda|cu_?(done|ready)|hip|interop|shared|ext(ern|$|_|[A-Z])|twin/i;

interface Twin {
  readonly name: string;
  readonly cuda: readonly Variable[];
  /** The struct that holds both; undefined for globals. */
  readonly owner: ClassFacts | undefined;
}

/** Semaphores of Vulkan beside one of CUDA's that nothing but their making and their end mentions, where CUDA signals no other one. */
const idleTwins = fileQuery((file): readonly Twin[] => {
  const groups = [...file.classes.map((owner) => ({ owner, fields: owner.fields })), { owner: undefined, fields: file.globals }];
  const idle = groups.flatMap(({ owner, fields }): Twin[] => {
    const cuda = fields.filter(({ type }) => cudas.test(elementType(type)));
    const vulkan = fields.filter(({ type }) => vulkans.test(elementType(type)));
    const own = vulkan.length === 1 ? vulkan : vulkan.filter(({ name }) => shared.test(name));
    return cuda.length === 0 ? [] : own.filter(({ name }) => uses.of(file, name).length === 0).map(({ name }) => ({ name, cuda, owner }));
  });
  const isOwn = (call: Call) => idle.some(({ cuda }) => cuda.some(({ name }) => name === lastOf(call.api!.arg('semaphore'))));
  return signals(file).every(isOwn) ? idle.filter(({ owner }) => !owner || !isHandedOn(file, owner)) : [];
});

/** The one that a function can reach: a global, a field of its class, or of a struct that its class or its caller has. */
function twinOf(file: FileFacts, fn: FunctionFacts): Twin | undefined {
  const near = [...fn.params, ...((fn.className && file.classNamed(fn.className)?.fields) || []), ...file.globals].map(({ type }) =>
    elementType(type),
  );
  return idleTwins(file).find(({ owner }) => !owner || owner.name === fn.className || near.includes(owner.name));
}

const signals = callsTo(/SignalExternalSemaphoresAsync$/);

function lastOf(expr: Expr | undefined): string | undefined {
  const path = pathOf(expr);
  return path && lastName(path);
}

/** What is done with things of a name but making, exporting and destroying them. */
const uses = functionTable<string, Event>((file, fn) =>
  fn.events.flatMap((event) =>
    readBy(file, event).flatMap((root) => walk(root).flatMap((part) => (part.kind === 'path' ? [[lastName(part.path), event] as const] : []))),
  ),
);

function readBy(file: FileFacts, event: Event): readonly Expr[] {
  if (event.kind === 'call')
    return /^vk(Create|Destroy|Get|Import)Semaphore\w*$/.test(event.api?.name ?? '')
      ? []
      : [...event.args, ...(event.receiver ? [event.receiver] : [])];
  if (event.kind !== 'assign') return expressionsOf(event);
  const target = pathOf(event.target);
  const owner = target && target.steps.length > 0 ? typeOfPath(file, event.fn, withoutLast(target)) : undefined;
  return event.value && !/Semaphore(Get|Import)/.test(event.declares?.type ?? owner ?? '') ? [event.value] : [];
}

/** Somebody outside of the file gets the whole struct. */
function isHandedOn(file: FileFacts, owner: ClassFacts): boolean {
  return file.functions.some((fn) => fn.className !== owner.name && fn.events.some((event) => handsOn(file, event, owner.name)));
}

function handsOn(file: FileFacts, event: Event, owner: string): boolean {
  const given =
    event.kind === 'return'
      ? event.value
        ? [event.value]
        : []
      : event.kind === 'call' && !event.api && !resolveCallee(file, event)
        ? event.args
        : [];
  return given.some((arg) => {
    const path = pathOf(arg);
    const type = path && typeOfPath(file, event.fn, path);
    return type !== undefined && elementType(type) === owner;
  });
}
