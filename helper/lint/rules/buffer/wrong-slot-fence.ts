/**
 * # buffer/wrong-slot-fence
 *
 * ## What it does
 * Reports the use of one slot of a ring of buffers behind a host wait for the fence, event or value of another slot, and a GL semaphore that
 * is picked by a counter of its own while its texture is picked by another index. Also the use of a slot whose index has changed since the wait,
 * and a write of the host into a slot before the wait for that slot's own fence, or into what belongs to an acquired image of a swapchain when
 * only the fence of a frame in flight was waited for. Slots that have a name of their own (`Slot& slot = slots[i]`)
 * are followed where the host reads one behind the wait for another that is about to be used again.
 *
 * ## Why is this bad
 * Each slot's fence says when the GPU is done with that slot. Behind the wait for slot `i` nothing is known of slot `(i + 1) % n`, which
 * the GPU may still read or write.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * struct Ring { VkFence fences[2]; VkCommandBuffer commands[2]; };
 * void begin(VkDevice device, Ring& ring, uint32_t slot) {
 *     const uint32_t other = 1 - slot;
 *     vkWaitForFences(device, 1, &ring.fences[slot], VK_TRUE, UINT64_MAX);
 *     vkResetCommandBuffer(ring.commands[other], 0);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * struct Ring { VkFence fences[2]; VkCommandBuffer commands[2]; };
 * void begin(VkDevice device, Ring& ring, uint32_t slot) {
 *     vkWaitForFences(device, 1, &ring.fences[slot], VK_TRUE, UINT64_MAX);
 *     vkResetCommandBuffer(ring.commands[slot], 0);
 * }
 * ```
 *
 * ## What it cannot see
 * Indices that are not computed from each other in this function, and whether the other slot was waited for by the caller. What is only
 * recorded into a command buffer (`vkCmd...`) is ordered by the queue and left alone.
 */
import { earlyWrites } from '../../analyses/early-writes';
import { imageWrites } from '../../analyses/image-writes';
import { movedSlots } from '../../analyses/moved-slots';
import { otherReads } from '../../analyses/other-reads';
import { strayCounters } from '../../analyses/slot-counters';
import { fenceOf, isComputedFrom, ownsItself, type Slot, slotOf, waitsElsewhere } from '../../analyses/slots';
import type { Call, Event, FileFacts, FunctionFacts, Path, Return } from '../../facts/index';
import { pathText, walk } from '../../facts/paths';
import { reachesWithout } from '../../flow/order';
import { defineRule, type Problem } from '../rule';

interface Data {
  readonly used: string;
  readonly fence: string;
  readonly call: string;
  readonly kind?: 'counter' | 'moved' | 'early' | 'image';
}

export const rule = defineRule<Data>({
  meta: {
    id: 'buffer/wrong-slot-fence',
    summary: 'The fence, event or value of one slot guards the use of another slot.',
    severity: 'warning',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: ['c', 'cpp', 'cuda', 'python'],
    group: 'preview',
    since: '0.1.0',
  },

  message({ used, fence, call, kind }) {
    if (kind === 'counter')
      return `\`${call}\` guards \`${used}\` with \`${fence}\`, whose slot is counted by itself: as soon as one frame is skipped the two differ, and the semaphore of another slot lets this one go. Take both from the same slot.`;
    if (kind === 'image')
      return `\`${call}\` writes \`${used}\`, which belongs to the acquired image, behind the wait for \`${fence}\` alone: images and frames in flight are counted apart, and the frame that used this image last may still be at work. Keep with each image the fence of its last frame and wait for that too, or keep one such resource for each frame.`;
    if (kind === 'moved')
      return `\`${call}\` uses \`${used}\` behind a change of the index, and the wait was for \`${fence}\` before it: the GPU may still be at work in the slot that is used. Wait when the index is known.`;
    if (kind === 'early')
      return `\`${call}\` writes \`${used}\` behind the wait for \`${fence}\`, which says nothing of that slot, and before the wait for the fence of its own: the GPU may still read it. Write behind the second wait.`;
    return `\`${call}\` uses \`${used}\`, but the wait before it is for \`${fence}\`, which says nothing of that slot: the GPU may still be at work in it. Wait for the fence of the slot that is used, or for both.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      reportReads(file, fn, report);
      if (file.language !== 'python') {
        reportCounters(fn, report);
        reportMoved(fn, report);
        reportEarly(fn, report);
        reportImages(file, fn, report);
      }
      for (const wait of fn.calls) {
        const fence = fenceOf(wait);
        if (!fence || waitsElsewhere(fn, wait, fence)) continue;
        const found = useOfOther(file, fn, wait, fence);
        if (found)
          report({
            at: found.use,
            data: { used: pathText(found.path), fence: pathText(fence.path), call: found.use.kind === 'call' ? found.use.name : 'return' },
            related: [{ at: wait, message: 'waits for this slot only' }],
          });
      }
    }
  },
});

/** One for each place where a slot is picked: its semaphores may be waited for and signalled. */
function reportCounters(fn: FunctionFacts, report: (problem: Problem<Data>) => void): void {
  const found = strayCounters(fn);
  for (const { at, semaphore, used, use } of found.filter((each, i) => found.findIndex((other) => other.at === each.at) === i))
    report({
      at,
      data: { used: pathText(used), fence: pathText(semaphore), call: use.name, kind: 'counter' },
      related: [{ at: use, message: 'guards the other slot here' }],
    });
}

function reportMoved(fn: FunctionFacts, report: (problem: Problem<Data>) => void): void {
  for (const { use, used, fence, wait, change } of movedSlots(fn))
    report({
      at: use,
      data: { used: pathText(used), fence: pathText(fence), call: use.name, kind: 'moved' },
      related: [
        { at: wait, message: 'waits for the slot of the index before' },
        { at: change, message: 'the index changes here' },
      ],
    });
}

function reportReads(file: FileFacts, fn: FunctionFacts, report: (problem: Problem<Data>) => void): void {
  for (const { use, used, fence, wait } of otherReads(file, fn))
    report({
      at: use,
      data: { used: pathText(used), fence: pathText(fence), call: use.kind === 'call' ? use.name : 'return' },
      related: [{ at: wait, message: 'waits for this slot only' }],
    });
}

function reportEarly(fn: FunctionFacts, report: (problem: Problem<Data>) => void): void {
  for (const { write, used, first, firstFence, own } of earlyWrites(fn))
    report({
      at: write,
      data: { used: pathText(used), fence: pathText(firstFence), call: write.name, kind: 'early' },
      related: [
        { at: first, message: 'waits for another slot' },
        { at: own, message: 'waits for this slot only here' },
      ],
    });
}

function reportImages(file: FileFacts, fn: FunctionFacts, report: (problem: Problem<Data>) => void): void {
  for (const { write, used, wait, fence, acquire } of imageWrites(file, fn))
    report({
      at: write,
      data: { used: pathText(used), fence: pathText(fence), call: write.name, kind: 'image' },
      related: [
        { at: wait, message: 'waits for a frame' },
        { at: acquire, message: 'the image is known here' },
      ],
    });
}

function useOfOther(file: FileFacts, fn: FunctionFacts, wait: Call, fence: Slot): { use: Call | Return; path: Path } | undefined {
  for (const event of fn.events) {
    if ((event.kind !== 'call' && event.kind !== 'return') || event.id <= wait.id || !reachesWithout(wait, event, () => false)) continue;
    if (event.kind === 'call' && /^vkCmd/.test(event.api?.name ?? '')) continue;
    const path = partsOf(event).find((part) => isOtherSlot(file, event, fence, part));
    if (path) return { use: event, path };
  }
  return undefined;
}

/** Paths that a call is given or a return hands out. */
function partsOf(event: Call | Return): Path[] {
  const given = event.kind === 'call' ? event.args : event.value ? [event.value] : [];
  return given.flatMap((arg) => [...walk(arg)].flatMap((part) => (part.kind === 'path' ? [part.path] : [])));
}

function isOtherSlot(file: FileFacts, at: Event, fence: Slot, path: Path): boolean {
  const slot = slotOf(path);
  if (!slot || slot.owner !== fence.owner || slot.index === fence.index || ownsItself(fence, slot)) return false;
  return isComputedFrom(file, at, slot.index, fence.index);
}
