// Host reads of one slot behind the wait for another one that is about to be used again, through whatever names the function gives them.
import type { Call, Event, FileFacts, FunctionFacts, Path, Return } from '../facts/index';
import { expressionsOf, lastName, pathKey, pathOf, walk } from '../facts/paths';
import { reachesWithout } from '../flow/order';
import { resolveCallee } from '../flow/program';
import { isGpuFamily, translation } from './releases';
import { placeOf } from './slot-aliases';
import { awaitedBy, isComputedFrom, ownsItself, type Slot, slotOf, waitsElsewhere } from './slots';

export interface OtherRead {
  readonly use: Call | Return;
  readonly used: Path;
  readonly fence: Path;
  readonly wait: Call;
}

/**
 * A slot whose fence is reset or recorded anew behind the wait is the oldest one: whatever else is in flight was submitted later and may
 * still run. The wait for the newest would be one for all.
 */
export function otherReads(file: FileFacts, fn: FunctionFacts): OtherRead[] {
  return fn.calls.flatMap((wait): OtherRead[] => {
    const fence = awaited(file, wait);
    if (!fence || !isUsedAgain(fn, wait, fence) || waitsElsewhere(fn, wait, fence)) return [];
    const found = fn.events.flatMap((event) => (event.id > wait.id ? readOf(file, wait, fence, event) : []))[0];
    return found ? [{ ...found, fence: fence.path, wait }] : [];
  });
}

/** The slot of a wait, here or in a helper that is told the index. */
function awaited(file: FileFacts, wait: Call): Slot | undefined {
  const direct = pathOfFence(wait);
  if (direct) return slotOf(placeOf(wait.fn, direct));
  const callee = wait.api ? undefined : resolveCallee(file, wait);
  const inside = callee && callee !== wait.fn ? callee.calls.flatMap((call) => pathOfFence(call) ?? []) : [];
  const place = inside.length === 1 ? placeOf(callee!, inside[0]!) : undefined;
  const path = place && translation(wait, callee!)(place);
  return path && slotOf({ ...path, steps: path.steps.map((step) => indexInCaller(file, wait, callee!, step)) });
}

function indexInCaller(file: FileFacts, call: Call, callee: FunctionFacts, step: string): string {
  const at = callee.params.findIndex(({ name }) => step === `[${name}]`);
  return at < 0 || !call.args[at] ? step : `[${file.source(call.args[at])}]`;
}

function pathOfFence(call: Call): Path | undefined {
  return awaitedBy(call, /^(vkWaitForFences|(cuda|cu|hip)EventSynchronize)$/);
}

function isUsedAgain(fn: FunctionFacts, wait: Call, fence: Slot): boolean {
  return fn.calls.some((call) => {
    if (call.id <= wait.id) return false;
    const isStart = /^(vkResetFences|vkQueueSubmit2?|(cuda|cu|hip)EventRecord(WithFlags)?)$/.test(call.api?.name ?? '') || call.name === 'record';
    return isStart && [...call.args, ...(call.receiver ? [call.receiver] : [])].some((arg) => isFence(fn, pathOf(arg), fence));
  });
}

function isFence(fn: FunctionFacts, path: Path | undefined, fence: Slot): boolean {
  return path !== undefined && pathKey(placeOf(fn, path)) === pathKey(fence.path);
}

function readOf(file: FileFacts, wait: Call, fence: Slot, event: Event): { use: Call | Return; used: Path }[] {
  if ((event.kind !== 'call' && event.kind !== 'return') || !reachesWithout(wait, event, (each) => changesIndex(each, fence))) return [];
  if (event.kind === 'call' && event.api && isGpuFamily(event.api.api.family)) return [];
  return partsOf(file, event).flatMap((written) => {
    const used = placeOf(event.fn, written);
    const slot = slotOf(used);
    if (!slot || slot.owner !== fence.owner || slot.index === fence.index || ownsItself(fence, slot)) return [];
    if (!isHostMemory(event, used) || !isComputedFrom(file, event, slot.index, fence.index) || isKnownDone(event, slot)) return [];
    return [{ use: event, used }];
  });
}

function partsOf(file: FileFacts, event: Call | Return): Path[] {
  const receiver = event.kind === 'call' && file.language === 'python' && event.receiver ? [event.receiver] : [];
  const given = event.kind === 'call' ? [...event.args, ...receiver] : event.value ? [event.value] : [];
  return given.flatMap((arg) => walk(arg).flatMap((part) => (part.kind === 'path' ? [part.path] : [])));
}

function changesIndex(event: Event, fence: Slot): boolean {
  const target = event.kind === 'assign' ? pathOf(event.target) : undefined;
  return target !== undefined && pathKey(target).replace(/^this\./, '') === fence.index.replace('->', '.').replace(/^self\./, '');
}

const readers = /^(memcpy|memmove|copy|copy_n|fwrite|numpy|tobytes|copyto)$/;

function isHostMemory(event: Event, path: Path): boolean {
  return (event.kind === 'call' && readers.test(event.name)) || /map|pixel|host|pinned|readback|staging/i.test(lastName(path));
}

/** `if (slots[previous].ready)` tells more than that it was submitted. */
function isKnownDone(event: Event, { index }: Slot): boolean {
  return event.fn.events.some(
    (test) =>
      test.kind === 'test' &&
      test.id < event.id &&
      expressionsOf(test).some((root) =>
        walk(root).some(
          (part) =>
            part.kind === 'path' &&
            slotOf(placeOf(event.fn, part.path))?.index === index &&
            /ready|done|complete|finish|signal|avail|valid/i.test(lastName(part.path)),
        ),
      ),
  );
}
