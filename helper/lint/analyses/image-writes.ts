// Host writes to what belongs to an acquired image of the swapchain, behind the wait for the fence of a frame: frames in flight and images are
// counted apart, so that the image may have been used last by a frame that nobody has waited for.
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { extend, pathKey, pathOf, stripCasts, walk } from '../facts/paths';
import { elementType } from '../flow/owner-types';
import { resolveCallee } from '../flow/program';
import { typeOfPath } from '../flow/visible';
import { writtenBy } from './early-writes';
import { placeOf } from './slot-aliases';
import { mayWait } from './stream-order';

export interface ImageWrite {
  readonly write: Call;
  readonly used: Path;
  readonly wait: Call;
  readonly fence: Path;
  readonly acquire: Call;
}

export function imageWrites(file: FileFacts, fn: FunctionFacts): ImageWrite[] {
  // CUDA may wait for the queue itself.
  if (fn.calls.some(({ api }) => /WaitExternalSemaphoresAsync$/.test(api?.name ?? ''))) return [];
  return fn.calls.flatMap((acquire): ImageWrite[] => {
    const index = acquire.api?.name === 'vkAcquireNextImage' ? indexOf(acquire) : undefined;
    const wait = index && frameWait(fn, acquire, index);
    const found = wait && firstWrite(file, acquire, index);
    return wait && found ? [{ ...found, wait: wait.call, fence: wait.fence, acquire }] : [];
  });
}

/** Before the frame is submitted, and before anything that may wait for more. */
function firstWrite(file: FileFacts, acquire: Call, index: string): { write: Call; used: Path } | undefined {
  for (const write of acquire.fn.calls) {
    if (write.id <= acquire.id) continue;
    const used = writes(file, write, index);
    if (used) return { write, used };
    if (/^vkQueueSubmit2?$/.test(write.api?.name ?? '') || mayWait(file, write, waitsForMore)) return undefined;
  }
  return undefined;
}

/** The variable that gets the index of the image, as one writes it inside of brackets. */
function indexOf(acquire: Call): string | undefined {
  const path = acquire.api!.path('index') ?? acquire.result;
  const given = acquire.fn.events.filter((event) => event.kind === 'assign' && event.value !== undefined && walk(event.value).includes(acquire));
  const last = given.at(-1);
  const target = path ?? (last?.kind === 'assign' ? pathOf(last.target) : undefined);
  return target && pathKey(target).replace(/^this\./, '');
}

/** The last wait before the acquire is for the one fence of a frame that another index picks. */
function frameWait(fn: FunctionFacts, acquire: Call, index: string): { call: Call; fence: Path } | undefined {
  const before = fn.calls.filter((call) => call.id < acquire.id && waitsForMore(call));
  const [call] = before;
  const count = call?.api?.arg('count');
  if (before.length !== 1 || call?.api?.name !== 'vkWaitForFences' || (count?.kind === 'number' && count.value !== 1)) return undefined;
  const fence = call.api.path('fence');
  const picked = fence && indexIn(placeOf(fn, fence));
  return fence && picked !== undefined && picked !== index ? { call, fence } : undefined;
}

function indexIn(path: Path): string | undefined {
  const step = path.steps.findLast((each) => /^\[.*[A-Za-z_]/.test(each));
  return step?.slice(1, -1).replace(/^this(->|\.)/, '');
}

function waitsForMore({ api }: Call): boolean {
  return api !== undefined && /^vk(WaitForFences|GetFenceStatus|WaitSemaphores|QueueWaitIdle|DeviceWaitIdle)$/.test(api.name);
}

/** What a call writes at once of the image's own: here, or in a helper that is given the index or the element. */
function writes(file: FileFacts, call: Call, index: string, depth = 2): Path | undefined {
  const target = targetOf(file, call);
  const place = target && placeOf(call.fn, target);
  if (target && place && indexIn(place) === index) return target;
  const helper = call.api || depth === 0 ? undefined : resolveCallee(file, call);
  if (!helper || helper === call.fn) return undefined;
  return helperWrites(file, call, helper, index, depth);
}

function helperWrites(file: FileFacts, call: Call, helper: FunctionFacts, index: string, depth: number): Path | undefined {
  const isIndex = (arg: Expr) => keyOf(arg) === index;
  const param = helper.params[call.args.findIndex(isIndex)];
  const inner = param && helper.calls.map((each) => writes(file, each, param.name, depth - 1)).find((each) => each !== undefined);
  if (inner) return inner;
  // The element itself is handed over: `update(images[index])`.
  for (const [i, arg] of call.args.entries()) {
    const path = pathOf(arg);
    const place = path && placeOf(call.fn, path);
    const name = place && indexIn(place) === index ? helper.params[i]?.name : undefined;
    const written = name && helper.calls.flatMap((each) => targetOf(file, each) ?? []).find((each) => each.root === name && each.kind === 'param');
    if (path && written) return extend(path, ...written.steps);
  }
  return undefined;
}

function keyOf(arg: Expr): string | undefined {
  const path = pathOf(stripCasts(arg));
  return path && pathKey(path).replace(/^this\./, '');
}

/** Host memory of the device, memory of CUDA that no queue orders, a command buffer that is recorded anew. */
function targetOf(file: FileFacts, call: Call): Path | undefined {
  if (/^vk(Reset|Begin)CommandBuffer$/.test(call.api?.name ?? '')) return call.api!.path('commandBuffer');
  const buffer = /^(reset|begin)$/.test(call.name) && call.receiver ? pathOf(call.receiver) : undefined;
  if (buffer && /^vk::(raii::)?CommandBuffer$/.test(elementType(typeOfPath(file, call.fn, buffer) ?? ''))) return buffer;
  return writtenBy(call);
}
