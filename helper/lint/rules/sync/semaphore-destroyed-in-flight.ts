/**
 * # sync/semaphore-destroyed-in-flight
 *
 * ## What it does
 * Reports a semaphore that is destroyed in the function that has just submitted work with it, without a wait for that work; with the preview
 * rules also one that another function of the file submits, where neither the destroying one nor its callers wait, and those of all frames
 * behind the fence of one, and those that a present waits for, behind fences alone.
 *
 * ## Why is this bad
 * All batches and stream operations that refer to a semaphore must have completed before it is destroyed, in Vulkan and in CUDA alike.
 * The wait for the CUDA stream says nothing about the Vulkan queue, and the reverse.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * void one_shot(VkDevice device, VkQueue queue, VkCommandBuffer commands) {
 *     VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
 *     VkSemaphore done = VK_NULL_HANDLE;
 *     vkCreateSemaphore(device, &create, nullptr, &done);
 *     VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
 *     submit.commandBufferCount = 1;
 *     submit.pCommandBuffers = &commands;
 *     submit.signalSemaphoreCount = 1;
 *     submit.pSignalSemaphores = &done;
 *     vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
 *     vkDestroySemaphore(device, done, nullptr);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * void one_shot(VkDevice device, VkQueue queue, VkCommandBuffer commands) {
 *     VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
 *     VkSemaphore done = VK_NULL_HANDLE;
 *     vkCreateSemaphore(device, &create, nullptr, &done);
 *     VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
 *     submit.commandBufferCount = 1;
 *     submit.pCommandBuffers = &commands;
 *     submit.signalSemaphoreCount = 1;
 *     submit.pSignalSemaphores = &done;
 *     vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
 *     vkQueueWaitIdle(queue);  // the batch above signals the semaphore
 *     vkDestroySemaphore(device, done, nullptr);
 * }
 * ```
 *
 * ## What it cannot see
 * Submits in other files. A function that is called when all is over (`destroy`, `cleanup`, ...) is believed to be called behind a wait, unless
 * one that makes everything anew (`resize`, `recreate_swapchain`) calls it.
 * Where the submit's info is not visible, the semaphore may be in it when queue and semaphore belong to the same object: that shows with the
 * preview rules only.
 */

import { endedBehindOneFence } from '../../analyses/one-fence';
import { destroyedWhilePresented } from '../../analyses/presented-semaphores';
import { waitsForQueue } from '../../analyses/queue-submits';
import { streamKey, unorderedBetween, waitsForStream } from '../../analyses/stream-order';
import { destroyedInFlight, type InFlight } from '../../analyses/submitted-semaphores';
import type { Call, Expr, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { isWithin, pathOf, pathText, samePath, stripCasts, walk } from '../../facts/paths';
import { fieldAt, valueAt } from '../../flow/definitions';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ semaphore: string; user: string; isCuda: boolean; isOneOfMany?: boolean; isPresented?: boolean }>({
  meta: {
    id: 'sync/semaphore-destroyed-in-flight',
    summary: 'A semaphore is destroyed while submitted or queued work may still use it.',
    severity: 'error',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ semaphore, user, isCuda, isOneOfMany, isPresented }) {
    if (isPresented)
      return `\`${semaphore}\` is destroyed behind a wait for fences, but \`${user}\` waits for it, and no fence of a batch tells that a present has done so. Wait for the queue or the device first.`;
    if (isOneOfMany)
      return `\`${semaphore}\` is destroyed for every frame, but \`${user}\` before it waits for the fence of one frame: the batches of the others may still wait for theirs or signal it. Wait for the queue, the device or all fences before the loop.`;
    const wait = isCuda ? 'Synchronise the stream' : 'Wait for the queue (vkQueueWaitIdle, or the fence of the batch)';
    return `\`${semaphore}\` is destroyed while the work of \`${user}\` may still wait for it or signal it: nothing between the two waits for that work. ${wait} before the destroy.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      const known = fn.calls.flatMap((destroy) => inFlight(file, fn, destroy) ?? []);
      const others = destroyedInFlight(file, fn).filter(({ destroy }) => !known.some((each) => each.destroy === destroy));
      for (const { destroy, semaphore, user, isCuda, isPreview } of [...known, ...others.map((each) => ({ ...each, isPreview: true }))])
        report({
          at: destroy,
          data: { semaphore: pathText(semaphore), user: user.name, isCuda },
          related: [{ at: user, message: isCuda ? 'queued here' : 'submitted here' }],
          isPreview,
        });
      const isNew = ({ destroy }: InFlight) => ![...known, ...others].some((each) => each.destroy === destroy);
      const presented = destroyedWhilePresented(file, fn).filter(isNew);
      for (const { destroy, semaphore, user } of presented)
        report({
          at: destroy,
          data: { semaphore: pathText(semaphore), user: user.name, isCuda: false, isPresented: true },
          related: [{ at: user, message: 'a present waits for it here' }],
          isPreview: true,
        });
      for (const { destroy, semaphore, user } of endedBehindOneFence(file, fn).filter(isNew))
        if (!presented.some((each) => each.destroy === destroy))
          report({
            at: destroy,
            data: { semaphore: pathText(semaphore), user: user.name, isCuda: false, isOneOfMany: true },
            related: [{ at: user, message: 'waits for one frame only' }],
            isPreview: true,
          });
    }
  },
});

function inFlight(file: FileFacts, fn: FunctionFacts, destroy: Call): (InFlight & { isPreview: boolean }) | undefined {
  const user = userOf(file, fn, destroy);
  if (!user) return undefined;
  const isCuda = /External/.test(destroy.api!.name);
  return { destroy, user, semaphore: destroy.api!.path('semaphore')!, isCuda, isPreview: !isCuda && semaphoresOf(user) === undefined };
}

/** The latest pending use of the semaphore that a destroy call ends. */
function userOf(file: FileFacts, fn: FunctionFacts, destroy: Call): Call | undefined {
  const semaphore = destroy.api?.does('destroy') ? destroy.api.path('semaphore') : undefined;
  if (!semaphore) return undefined;
  const before = fn.calls.filter((call) => call.id < destroy.id);
  if (/^(cuda|cu)DestroyExternalSemaphore$/.test(destroy.api!.name)) {
    return before.findLast((call) => {
      const isUse = /^(cuda|cu)(Signal|Wait)ExternalSemaphoresAsync$/.test(call.api?.name ?? '') && samePath(call.api!.path('semaphore'), semaphore);
      return isUse && unorderedBetween(file, call, destroy, (each) => waitsForStream(file, each, streamKey(file, call, call.api!.arg('stream'))));
    });
  }
  if (destroy.api!.name !== 'vkDestroySemaphore') return undefined;
  return before.findLast((call) => usesSemaphore(call, semaphore) && unorderedBetween(file, call, destroy, waits));
}

function waits(call: Call): boolean {
  return waitsForQueue(call) && !/QueuePresent|ExternalSemaphores/.test(call.api!.name);
}

function usesSemaphore(call: Call, semaphore: Path): boolean {
  if (!call.api || !/^vkQueue(Submit2?|Present)$/.test(call.api.name)) return false;
  const named = semaphoresOf(call);
  if (named) return named.some((path) => isWithin(path, semaphore) || isWithin(semaphore, path));
  const queue = call.api.path('queue');
  return (
    queue !== undefined && queue.root === semaphore.root && queue.steps.length > 0 && semaphore.steps.length > 0 && call.api.name !== 'vkQueuePresent'
  );
}

const lists = ['pWaitSemaphores', 'pSignalSemaphores', 'pWaitSemaphoreInfos', 'pSignalSemaphoreInfos'];

/** Paths that the lists of a visible submit or present info mention; undefined when the info is not visible. */
function semaphoresOf(call: Call): Path[] | undefined {
  const info = call.api!.arg('info');
  const struct = info && unwrap(info);
  const paths: Path[] = [];
  for (const list of lists) {
    const { values, unknown } = fieldAt(call, struct, list);
    const isOther = /Present/.test(call.api!.name) && list !== 'pWaitSemaphores';
    if ((unknown || values.length === 0) && !isOther && !/Infos$/.test(list)) return undefined;
    for (const { value, at } of values) if (value !== 'zero') paths.push(...mentioned(at.fn, valueAt(at, value) ?? value, 3));
  }
  return paths;
}

function unwrap(expr: Expr): Expr {
  const bare = stripCasts(expr);
  return bare.kind === 'unary' && bare.op === '&' ? unwrap(bare.operand) : bare;
}

/** Every path in a value and in what its local arrays and structs hold. */
function mentioned(fn: FunctionFacts, value: Expr | 'zero', depth: number): Path[] {
  if (value === 'zero') return [];
  const direct = [...walk(value)].flatMap((part) => (part.kind === 'path' ? [part.path] : []));
  if (depth === 0) return direct;
  const inner = direct.flatMap((path) =>
    path.kind === 'local'
      ? fn.events.flatMap((event) => {
          const target = event.kind === 'assign' && event.value ? pathOf(event.target) : undefined;
          return target && isWithin(target, { ...path, steps: [] }) && event.kind === 'assign' ? mentioned(fn, event.value!, depth - 1) : [];
        })
      : [],
  );
  return [...direct, ...inner];
}
