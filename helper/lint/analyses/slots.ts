// Slots of rings: elements of arrays, which of them a host wait is for, and how their indices hang together.
import type { Call, Event, Expr, FileFacts, FunctionFacts, Path } from '../facts/index';
import { pathKey, pathOf } from '../facts/paths';
import { valueAt } from '../flow/definitions';

export interface Slot {
  readonly path: Path;
  /** Text of the index. */
  readonly index: string;
  /** The array, without the name that its last step gives it: `f` of `f.fences[i]`, or `frames` of `frames[i].fence`. */
  readonly owner: string;
}

/** The one fence or event that a host wait waits for, when it is an element of an array. */
export function fenceOf(call: Call): Slot | undefined {
  const path = awaitedBy(call, /^(vkWaitForFences|cudaEventSynchronize|cuEventSynchronize|vkGetFenceStatus)$/);
  return path && slotOf(path);
}

/** The one fence or event that a call of such a name waits for; in Python an event's own `synchronize`. */
export function awaitedBy(call: Call, names: RegExp): Path | undefined {
  const { api } = call;
  if (call.name === 'synchronize' && api?.spelling === 'python') return pathOf(call.receiver);
  if (!names.test(api?.name ?? '')) return undefined;
  const count = api!.arg('count');
  return count && !(count.kind === 'number' && count.value === 1) ? undefined : (api!.path('fence') ?? api!.path('event'));
}

export function slotOf(path: Path): Slot | undefined {
  const at = path.steps.findIndex((step) => step.startsWith('['));
  if (at < 0) return undefined;
  const isElementStruct = path.steps[at + 1]?.startsWith('.') ?? false;
  const prefix = path.steps.slice(0, isElementStruct ? at : Math.max(at - 1, 0));
  return { path, index: path.steps[at]!.slice(1, -1), owner: pathKey({ ...path, steps: prefix }) + (isElementStruct ? '[]' : '') };
}

/** Other waits of the function, for any slot: which of them guards what is not for us to say. */
export function waitsElsewhere(fn: FunctionFacts, wait: Call, fence: Slot): boolean {
  return fn.calls.some((call) => {
    if (call === wait) return false;
    const known =
      call.api && /WaitIdle|WaitForFences|WaitSemaphores|Synchronize|StreamWaitEvent|^\.(synchronize|wait)|synchronize$/.test(call.api.name);
    const sameArray = call.args.some((arg) => slotOf(pathOf(arg) ?? fence.path)?.index !== fence.index && sharesArray(pathOf(arg), fence));
    return known || (!call.api && (sameArray || /wait|sync/i.test(call.name)));
  });
}

function sharesArray(path: Path | undefined, fence: Slot): boolean {
  const isWhole = path?.steps.at(-1)?.startsWith('[') || path?.steps.at(-1) === fence.path.steps.at(-1);
  return path !== undefined && isWhole === true && pathKey(path).split('[')[0] === pathKey(fence.path).split('[')[0];
}

/** An array that hangs on nothing (`fences[i]`, `images[j]`) shares no owner with others but the function. */
export function ownsItself(fence: Slot, slot: Slot): boolean {
  return fence.path.kind === 'param' && slot.path.root !== fence.path.root;
}

/** `(i + 1) % n`, `1 - i`, `i ^ 1`, `!i`, written in place or as a local. */
export function isComputedFrom(file: FileFacts, at: Event, index: string, from: string): boolean {
  const names = new RegExp(`(^|[^\\w.])${from.replace(/[^\w]/g, '\\$&')}($|[^\\w.])`);
  if (/[%^!-]|\+/.test(index)) return names.test(index);
  if (!/^\w+$/.test(index) || !/^\w+((->|\.)\w+)?$/.test(from)) return false;
  const local: Expr = { kind: 'path', path: { root: index, kind: 'local', steps: [] }, span: at.span };
  const value = at.fn.locals.some((each) => each.name === index) ? valueAt(at, local) : undefined;
  if (value === undefined || value === 'zero' || value === local) return false;
  const text = file.source(value);
  return (value.kind === 'binary' || value.kind === 'unary') && /[%^!-]/.test(text) && names.test(text);
}
