// Semaphores that submits and streams use in one function and that another function destroys, and submits of vulkan.hpp that are put
// together by setters and constructors.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { isWithin, mentions, pathOf, samePath, walk } from '../facts/paths';
import { callsTo } from '../flow/calls';
import { elementType } from '../flow/owner-types';
import { callersOf } from '../flow/program';
import { declaredTypeOf } from '../flow/visible';
import { fromFunctions } from '../memo/table';
import { eventId } from './cuda-events';
import { waitsForQueue } from './queue-submits';
import { mayWait, unorderedBetween, waitsForStream } from './stream-order';

export interface InFlight {
  readonly destroy: Call;
  readonly semaphore: Path;
  readonly user: Call;
  readonly isCuda: boolean;
}

interface Use {
  readonly call: Call;
  readonly path: Path;
  readonly id: string | undefined;
}

/** What destroys end that a function has submitted itself, in the spelling of vulkan.hpp, or that another function uses. */
export function destroyedInFlight(file: FileFacts, fn: FunctionFacts): InFlight[] {
  return fn.calls.flatMap((destroy): InFlight[] => {
    const semaphore = destroyedBy(file, destroy);
    if (!semaphore) return [];
    const isCuda = /External/.test(destroy.api?.name ?? '');
    const here = isCuda ? [] : submittedIn(file, fn).filter(({ path, call }) => samePath(path, semaphore) && call.api!.spelling === 'hpp');
    const user = here.findLast(({ call }) => unorderedBetween(file, call, destroy, (each) => waits(each)))?.call;
    if (user) return [{ destroy, semaphore, user, isCuda }];
    const other = otherUser(file, destroy, semaphore);
    return other ? [{ destroy, semaphore, user: other, isCuda }] : [];
  });
}

/** `vkDestroySemaphore`, `device.destroy(semaphore)`, `cudaDestroyExternalSemaphore`, `semaphores_.clear()`. */
export function destroyedBy(file: FileFacts, call: Call): Path | undefined {
  if (call.api?.does('destroy')) return /Semaphore$/.test(call.api.name) ? call.api.path('semaphore') : undefined;
  const path = call.name === 'destroy' && call.receiver && call.args.length <= 2 ? pathOf(call.args[0]) : undefined;
  return path && isSemaphore(file, call.fn, path) ? path : clearedBy(file, call);
}

/** `renderFinished_.clear()` of semaphores that end with their list. */
function clearedBy(file: FileFacts, call: Call): Path | undefined {
  const path = call.api === undefined && /^(clear|resize|pop_back)$/.test(call.name) ? pathOf(call.receiver) : undefined;
  const type = path && declaredTypeOf(file, call.fn, path);
  return type && /<(const )?(vk::raii::Semaphore|vk::UniqueSemaphore)\b/.test(type) ? path : undefined;
}

export function isSemaphore(file: FileFacts, fn: FunctionFacts, path: Path): boolean {
  const type = declaredTypeOf(file, fn, path);
  return type !== undefined && /^(VkSemaphore|vk::(raii::|Unique)?Semaphore)$/.test(elementType(type));
}

/** Waits for a queue or a stream, whichever. */
function waits(call: Call): boolean {
  return waitsForVulkan(call) || call.api?.does('sync') === true;
}

function waitsForVulkan(call: Call): boolean {
  return waitsForQueue(call) && !/QueuePresent|ExternalSemaphores/.test(call.api!.name);
}

const cudaWaits = callsTo(/^(cuda|cu)WaitExternalSemaphoresAsync$/);

/** Semaphores of the file in the hands of queues and streams. */
const usesOf = fromFunctions((file, fn): readonly Use[] => [...submittedIn(file, fn), ...queuedIn(file, fn)]);

function submittedIn(file: FileFacts, fn: FunctionFacts): Use[] {
  return fn.calls.flatMap((call): Use[] => {
    if (!/^vkQueueSubmit2?$/.test(call.api?.name ?? '')) return [];
    return behindLocals(fn, pathsIn(call))
      .filter((path) => isSemaphore(file, fn, path))
      .map((path) => ({ call, path, id: eventId(file, fn, path) }));
  });
}

function queuedIn(file: FileFacts, fn: FunctionFacts): Use[] {
  return fn.calls.flatMap((call): Use[] => {
    const path = /^(cuda|cu)(Signal|Wait)ExternalSemaphoresAsync$/.test(call.api?.name ?? '') ? call.api!.path('semaphore') : undefined;
    return path ? [{ call, path, id: eventId(file, fn, path) }] : [];
  });
}

/** `wait` of `VkSemaphore wait[] = {finished[image]}` is what it was made of. */
export function behindLocals(fn: FunctionFacts, paths: readonly Path[]): Path[] {
  const made = fn.events.flatMap((event) =>
    event.kind === 'assign' && event.value && paths.some((path) => path.kind === 'local' && path.root === pathOf(event.target)?.root)
      ? [event.value]
      : [],
  );
  return [...paths, ...made.flatMap(walked)];
}

/** Everything that the info of a submit was made of in this function. */
export function pathsIn(submit: Call): Path[] {
  const info = submit.api!.arg('info');
  if (!info) return [];
  const roots = walked(info).flatMap((path) => (path.kind === 'local' ? [{ ...path, steps: [] }] : []));
  const parts = submit.fn.events.flatMap((event): Expr[] => {
    if (event.id >= submit.id) return [];
    if (event.kind === 'assign') return event.value && roots.some((root) => isWithin(pathOf(event.target) ?? elsewhere, root)) ? [event.value] : [];
    if (event.kind !== 'call' || event.api) return [];
    return roots.some((root) => mentions(event.receiver, root)) ? [...event.args] : [];
  });
  return [info, ...parts].flatMap(walked);
}

const elsewhere: Path = { root: '', kind: 'global', steps: [] };

function walked(expr: Expr): Path[] {
  return [...walk(expr)].flatMap((part) => (part.kind === 'path' ? [part.path] : []));
}

/** By their names these run when all is over: whoever calls them has waited, unless it is to make everything anew. */
const endings = /destroy|clean|shut|tear|term|fini|de_?init|dispose|free|close|release|stop|exit|uninit|delete|~/i;

const renewals = /re_?(siz|creat|build|load|init|start|configur|new)|swap_?chain_?(lost|invalid)|out_?of_?date|suboptimal|change/i;

/** A function named for an end that is called while all goes on: by `resize`, and by nobody who waits. */
function isMidway(file: FileFacts, fn: FunctionFacts): boolean {
  return callersOf(file, fn).some(
    (caller) => renewals.test(caller.name) && !endings.test(caller.name) && !callersOf(file, caller).some((outer) => outer.calls.some(waits)),
  );
}

function otherUser(file: FileFacts, destroy: Call, semaphore: Path): Call | undefined {
  const { fn } = destroy;
  if (!/^(method|function)$/.test(fn.kind) || (endings.test(fn.name) && !isMidway(file, fn))) return undefined;
  const id = eventId(file, fn, semaphore);
  const users = id ? usesOf(file).filter((use) => use.id === id) : [];
  if (users.length === 0 || users.some(({ call }) => call.fn === fn || isFinished(file, call))) return undefined;
  // What a stream has done says nothing of a queue, unless the stream waits for that.
  const isOrder = /External/.test(destroy.api?.name ?? '') || cudaWaits(file).length > 0 ? waits : waitsForVulkan;
  if (fn.events.some((event) => event.id < destroy.id && mayWait(file, event, isOrder))) return undefined;
  return callersOf(file, fn).some((caller) => caller.calls.some(isOrder)) ? undefined : users.at(-1)!.call;
}

/** The function waits for what it has submitted. */
function isFinished(file: FileFacts, use: Call): boolean {
  return use.fn.calls.some((call) => call.id > use.id && (waits(call) || waitsForStream(file, call, '')));
}
