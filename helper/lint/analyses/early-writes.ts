// Host writes to the memory of a slot that stand before the wait for the fence of that very slot, behind the wait for another index.
import type { Call, FunctionFacts, Path } from '../facts/index';
import { pathOf, samePath } from '../facts/paths';
import { reachesWithout } from '../flow/order';

export interface EarlyWrite {
  readonly write: Call;
  readonly used: Path;
  /** Waited for before the write: of another slot. */
  readonly first: Call;
  readonly firstFence: Path;
  /** Waited for behind the write: of this slot. */
  readonly own: Call;
}

/** Frames in flight and swapchain images are counted apart: what hangs on the image is free only behind the fence of the image. */
export function earlyWrites(fn: FunctionFacts): EarlyWrite[] {
  const waits = fn.calls.flatMap((call) => {
    const path =
      call.api?.name === 'vkWaitForFences'
        ? call.api.path('fence')
        : /^(cuda|cu)EventSynchronize$/.test(call.api?.name ?? '')
          ? call.api!.path('event')
          : undefined;
    const index = path && indexOf(path);
    return path && index ? [{ call, path, index }] : [];
  });
  const indices = new Set(waits.map(({ index }) => index));
  if (indices.size < 2 || fn.calls.some(({ api }) => /WaitIdle|(Stream|Device|Ctx)Synchronize/.test(api?.name ?? ''))) return [];
  return fn.calls.flatMap((write): EarlyWrite[] => {
    const used = writtenBy(write);
    const index = used && indexOf(used);
    const own = index ? waits.filter((wait) => wait.index === index) : [];
    if (!used || own.length === 0 || own.some(({ call, path }) => call.id < write.id || samePath(path, used))) return [];
    const first = waits.findLast((wait) => wait.index !== index && wait.call.id < write.id);
    const behind = own.find(({ call }) => reachesWithout(write, call, () => false));
    return first && behind ? [{ write, used, first: first.call, firstFence: first.path, own: behind.call }] : [];
  });
}

/** The text of the one index. */
function indexOf(path: Path): string | undefined {
  const steps = path.steps.filter((step) => step.startsWith('['));
  return steps.length === 1 && /[A-Za-z_]/.test(steps[0]!) ? steps[0]!.slice(1, -1) : undefined;
}

/** The memory that the host, or a copy of CUDA, writes. */
export function writtenBy(call: Call): Path | undefined {
  if (/^(memcpy|memmove|memset|std::memcpy|std::memmove|std::memset)$/.test(call.name)) return pathOf(call.args[0]);
  if (/^(copy|copy_n)$/.test(call.name) && call.args.length === 3) return pathOf(call.args[2]);
  return /^(cuda|cu)Memcpy/.test(call.api?.name ?? '') ? pathOf(call.api!.arg('dst')) : undefined;
}
