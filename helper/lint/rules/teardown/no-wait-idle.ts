/**
 * # teardown/no-wait-idle
 *
 * ## What it does
 * Reports a destructor or clean-up method that destroys Vulkan objects without any wait, in a class of which another method submits work
 * and does not wait for it.
 *
 * ## Why is this bad
 * The last frame is still running when the object goes. Vulkan forbids to destroy what pending command buffers use: the GPU then reads
 * freed memory, and the device may be lost. With CUDA on the other side of the seam the fault shows up there.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * class Renderer {
 * public:
 *     void draw(const VkSubmitInfo& work) { vkQueueSubmit(queue_, 1, &work, VK_NULL_HANDLE); }
 *     ~Renderer() { vkDestroyCommandPool(device_, pool_, nullptr); }
 * private:
 *     VkDevice device_ = VK_NULL_HANDLE;
 *     VkQueue queue_ = VK_NULL_HANDLE;
 *     VkCommandPool pool_ = VK_NULL_HANDLE;
 * };
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * class Renderer {
 * public:
 *     void draw(const VkSubmitInfo& work) { vkQueueSubmit(queue_, 1, &work, VK_NULL_HANDLE); }
 *     ~Renderer() {
 *         vkDeviceWaitIdle(device_);  // the last frame may still run
 *         vkDestroyCommandPool(device_, pool_, nullptr);
 *     }
 * private:
 *     VkDevice device_ = VK_NULL_HANDLE;
 *     VkQueue queue_ = VK_NULL_HANDLE;
 *     VkCommandPool pool_ = VK_NULL_HANDLE;
 * };
 * ```
 *
 * ## What it cannot see
 * Methods that make things anew are told by their names (`recreate`, `resize`). Waits in base classes, in other files, or by whoever owns the object: any call that may wait, and any other method of the class that
 * waits, silences the rule.
 */

import { waitsForQueue } from '../../analyses/queue-submits';
import { endsGpuObject, reachedCalls } from '../../analyses/releases';
import { mayWait } from '../../analyses/stream-order';
import type { Call, ClassFacts, FileFacts, FunctionFacts } from '../../facts/index';
import { pathOf } from '../../facts/paths';
import { callsTo } from '../../flow/calls';
import { returnsWithout } from '../../flow/order';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly ended: string;
  readonly submitter: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'teardown/no-wait-idle',
    summary: 'A class destroys or remakes Vulkan objects without a wait although its last submit may still run.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ ended, submitter }) {
    return `\`${ended}\` runs while the work that \`${submitter}\` submitted may still use the object: nothing in the clean-up waits. Wait first, with vkDeviceWaitIdle or the fence of the last submit.`;
  },

  detect(file, report) {
    for (const each of file.subjectClasses) {
      if (each.bases.length > 0) continue;
      const teardown = each.methods.find((method) => method.kind === 'destructor') ?? each.methods.find((method) => cleanups.test(method.name));
      const remakers = each.methods.filter((method) => method !== teardown && remakes.test(method.name));
      const found = [teardown, ...remakers].map((method) => method && endWhilePending(file, each, method)).find((each) => each !== undefined);
      if (!found) continue;
      const { first, submit } = found;
      const related = [{ at: submit, message: 'submitted here, without a wait behind it' }];
      report({
        at: first.call,
        data: { ended: first.call.api!.name, submitter: submit.fn.qualifiedName },
        related: first.call === first.site ? related : [...related, { at: first.site, message: 'the clean-up gets there from here' }],
      });
    }
  },
});

const cleanups = /^(destroy|cleanup|clean_up|shutdown|shut_down|tear_?down|release|deinit|terminate|uninit)(All|Resources|Vulkan)?$/i;
/** What ends objects to make them anew, while the program goes on submitting. */
const remakes = /^(on_?|handle_?|do_?)?(re(create|build|size|init|initialize|load|make)|resize|window_?resized?)(_?[A-Z]?\w*)?$/i;
const inUse =
  /^(vkDestroy(Device|CommandPool|Fence|Semaphore|Buffer|Image|ImageView|Pipeline|DescriptorPool|Framebuffer)|vkFreeMemory|vkFreeCommandBuffers|vmaDestroy(Buffer|Image))$/;

function endWhilePending(file: FileFacts, each: ClassFacts, method: FunctionFacts) {
  const first = method.degraded ? undefined : firstEndWithoutWait(file, method);
  const submit = first && pendingSubmit(file, each, method);
  return first && submit && { first, submit };
}

/** The first object that a clean-up ends, unless something before it waits or may wait. */
function firstEndWithoutWait(file: FileFacts, teardown: FunctionFacts): { call: Call; site: Call } | undefined {
  const first = [...reachedCalls(file, teardown)].find(({ call }) => endsGpuObject(call) && inUse.test(call.api!.name));
  if (!first) return undefined;
  const before = teardown.events.filter((event) => event.id < first.site.id);
  const waits = (call: Call) => waitsForVulkan(file, call);
  if (before.some((event) => mayWait(file, event, waits))) return undefined;
  const inHelper = first.call === first.site ? [] : first.call.fn.events.filter((event) => event.id < first.call.id);
  return inHelper.some((event) => mayWait(file, event, waits)) ? undefined : first;
}

const cudaWaits = callsTo(/^(cuda|cu|hip)WaitExternalSemaphoresAsync$/);

/** The host waits. For CUDA only: that says something of Vulkan's work where CUDA waits for it in turn. */
function waitsForVulkan(file: FileFacts, call: Call): boolean {
  return waits(call) && (!/^(cuda|cu|hip)[A-Z]/.test(call.api?.name ?? '') || cudaWaits(file).length > 0);
}

function waits(call: Call): boolean {
  return (
    (waitsForQueue(call) && call.api?.name !== 'vkQueuePresent') ||
    (call.api?.does('sync') ?? false) ||
    /Idle$|^vk(GetFenceStatus|WaitForFences|WaitSemaphores)/.test(call.api?.name ?? '')
  );
}

/** The caller has given the fence: it knows when the work is done, and when the object may go. */
function isFenced({ api }: Call): boolean {
  return pathOf(api?.arg('fence'))?.kind === 'param';
}

/** A submit of another method that returns without a wait, in a class that has no method to wait with. */
function pendingSubmit(file: FileFacts, each: ClassFacts, teardown: FunctionFacts): Call | undefined {
  const byTeardown = new Set([teardown, ...[...reachedCalls(file, teardown)].map(({ call }) => call.fn)]);
  const others = each.methods.filter((method) => !byTeardown.has(method));
  if (others.some((method) => method.degraded)) return undefined;
  const submits = others.flatMap((method) => method.calls.filter((call) => /^vkQueueSubmit2?$/.test(call.api?.name ?? '') && !isFenced(call)));
  const submitters = new Set(submits.map((call) => call.fn));
  // What waits at the very end does nothing for a method that goes on afterwards.
  const isEnd = (method: FunctionFacts) => remakes.test(teardown.name) && (method.kind === 'destructor' || cleanups.test(method.name));
  const isWaiter = (method: FunctionFacts) =>
    !submitters.has(method) &&
    !isEnd(method) &&
    method.events.some((event) => event.kind === 'call' && (waits(event) || (!event.api && /wait|idle|sync/i.test(event.name))));
  if (others.some(isWaiter)) return undefined;
  return submits.find((call) => returnsWithout(call, (event) => mayWait(file, event, waits)));
}
