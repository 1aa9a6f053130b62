// Slots whose index changes behind the wait for their fence: what is used then is another slot, which nobody has waited for.
import type { Call, Event, FunctionFacts, Path } from '../facts/index';
import { pathKey, pathOf, stripCasts, walk } from '../facts/paths';
import { definitionsAt } from '../flow/definitions';
import { reachesWithout } from '../flow/order';

export interface MovedSlot {
  readonly use: Call;
  readonly used: Path;
  readonly fence: Path;
  readonly wait: Call;
  /** What changes the index. */
  readonly change: Event;
}

interface Slot {
  readonly array: string;
  readonly index: string;
  readonly path: Path;
}

export function movedSlots(fn: FunctionFacts): MovedSlot[] {
  return fn.calls.flatMap((wait): MovedSlot[] => {
    const fence = isHostWait(wait) ? slotAt(wait, wait.api!.path('fence') ?? wait.api!.path('event')) : undefined;
    const change = fence && fn.events.find((event) => event.id > wait.id && changes(event, fence.index) && reachesWithout(wait, event, () => false));
    if (!fence || !change) return [];
    const use = fn.calls.find((call) => call.id > change.id && usedSlot(call, fence) && isDirect(change, call));
    return use && !hasVisitedAll(wait, change, use) ? [{ use, used: usedSlot(use, fence)!.path, fence: fence.path, wait, change }] : [];
  });
}

/** `for (i = 0; i < n; i++) wait(fences[i]);`, and then all slots are anybody's. */
function hasVisitedAll(wait: Call, change: Event, use: Call): boolean {
  return reachesWithout(change, wait, () => false) && !reachesWithout(use, wait, () => false);
}

function isHostWait({ api }: Call): boolean {
  const count = api?.arg('count');
  if (count && !(count.kind === 'number' && count.value === 1)) return false;
  return api !== undefined && /^(vkWaitForFences|cudaEventSynchronize|cuEventSynchronize)$/.test(api.name);
}

/** Nothing on the way waits again. */
function isDirect(change: Event, use: Call): boolean {
  const mayWait = (event: Event) =>
    event.kind === 'call' && event !== use && (event.api ? event.api.does('sync') : /wait|sync|acquire|begin|idle/i.test(event.name));
  return reachesWithout(change, use, mayWait);
}

/** `frames[i].fence`, also behind a local pointer or reference to `frames[i]`. */
function slotAt(at: Event, written: Path | undefined): Slot | undefined {
  const path = written && behindPointer(at, written);
  const step = path?.steps.findIndex((each) => /^\[[^\]]*[A-Za-z_]/.test(each)) ?? -1;
  if (!path || step < 0) return undefined;
  const index = normal(path.steps[step]!.slice(1, -1));
  return { array: pathKey({ ...path, steps: path.steps.slice(0, step) }), index, path };
}

function behindPointer(at: Event, path: Path): Path {
  if (path.kind !== 'local' || path.steps.length === 0) return path;
  const { values, unknown } = definitionsAt(at, { ...path, steps: [] });
  const [only] = values;
  if (unknown || values.length !== 1 || !only || only.value === 'zero') return path;
  const value = stripCasts(only.value);
  const isElement = value.kind === 'path' && value.path.steps.some((step) => step.startsWith('['));
  const to = (value.kind === 'unary' && value.op === '&') || isElement ? pathOf(value) : undefined;
  return to ? { ...to, steps: [...to.steps, ...path.steps] } : path;
}

function normal(index: string): string {
  return index.replace(/->/g, '.').replace(/^this\./, '');
}

/** The index as a whole is written: `i = next`, `++i`, or `acquire(..., &i)`. */
function changes(event: Event, index: string): boolean {
  const isIndex = (path: Path | undefined) => path !== undefined && normal(pathKey(path)) === index;
  if (event.kind === 'assign') return event.declares === undefined && isIndex(pathOf(event.target));
  if (event.kind !== 'call' || !event.api) return false;
  return event.api.api.params.some((param) => param.out && isIndex(event.api!.path(param.name)));
}

/** The same array, or one beside it: `ring.commands` and `ring.fences`. */
function isBeside(a: Slot, b: Slot): boolean {
  const owner = ({ path, array }: Slot) => (path.kind === 'local' || path.kind === 'param' ? '' : path.kind) + array.replace(/\.?\w+$/, '');
  return a.array === b.array || owner(a) === owner(b);
}

/** Another element of the same array by the changed index, in the hands of an API that resets, records, copies or submits. */
function usedSlot(call: Call, fence: Slot): Slot | undefined {
  if (!call.api || /^vkCmd|Wait|Synchronize|Query|Destroy|GetFenceStatus|AcquireNext/.test(call.api.name)) return undefined;
  for (const arg of call.args) {
    for (const part of walk(arg)) {
      const slot = part.kind === 'path' ? slotAt(call, part.path) : undefined;
      if (slot && slot.index === fence.index && isBeside(slot, fence)) return slot;
    }
  }
  return undefined;
}
