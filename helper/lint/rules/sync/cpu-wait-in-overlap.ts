/**
 * # sync/cpu-wait-in-overlap
 *
 * ## What it does
 * Notes a host wait for a stream or queue between producer and consumer although a semaphore between the two already orders them.
 *
 * ## Why is this bad
 * An imported semaphore lets the GPU wait while the host prepares the next frame. A synchronise in between takes that away: host, CUDA and
 * Vulkan run one after the other. Nothing is wrong with the result, only with its speed.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * void frame(cudaExternalSemaphore_t ready, const cudaExternalSemaphoreSignalParams& value, cudaStream_t stream, VkQueue queue,
 *            VkSemaphore ready_vk, const VkPipelineStageFlags* stage, VkCommandBuffer draw) {
 *     cudaSignalExternalSemaphoresAsync(&ready, &value, 1, stream);
 *     cudaStreamSynchronize(stream);
 *     VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &ready_vk, stage, 1, &draw};
 *     vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * void frame(cudaExternalSemaphore_t ready, const cudaExternalSemaphoreSignalParams& value, cudaStream_t stream, VkQueue queue,
 *            VkSemaphore ready_vk, const VkPipelineStageFlags* stage, VkCommandBuffer draw) {
 *     cudaSignalExternalSemaphoresAsync(&ready, &value, 1, stream);
 *     VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &ready_vk, stage, 1, &draw};
 *     vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
 * }
 * ```
 *
 * ## What it cannot see
 * Whether the host needs the result at that point, for example to read a counter back: a copy to the host in the function silences it.
 */
import { submitsIn } from '../../analyses/queue-submits';
import { copiesToHost, streamKey, waitsForStream } from '../../analyses/stream-order';
import type { Call, FileFacts, FunctionFacts } from '../../facts/index';
import { postDominates } from '../../flow/order';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ wait: string; between: string }>({
  meta: {
    id: 'sync/cpu-wait-in-overlap',
    summary: 'The host waits between producer and consumer although a semaphore orders them already.',
    severity: 'info',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ wait, between }) {
    return `\`${wait}\` makes the host wait, although the semaphore of \`${between}\` orders both sides on the GPU already. Without it host and GPU can work at the same time.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded || fn.kind === 'destructor' || fn.calls.some(copiesToHost)) continue;
      const found = afterCuda(file, fn) ?? afterVulkan(fn);
      if (found)
        report({
          at: found.wait,
          data: { wait: found.wait.name, between: found.signal.name },
          related: [{ at: found.signal, message: 'ordered from here' }],
        });
    }
  },
});

/** Signal by CUDA, host wait for its stream, then a submit that waits for a semaphore. */
function afterCuda(file: FileFacts, fn: FunctionFacts): { wait: Call; signal: Call } | undefined {
  for (const signal of fn.calls.filter((call) => /^(cuda|cu)SignalExternalSemaphoresAsync$/.test(call.api?.name ?? ''))) {
    const key = streamKey(file, signal, signal.api!.arg('stream'));
    const submit = submitsIn(fn.calls).find((each) => each.call.id > signal.id && each.waits === 'some');
    const wait =
      submit && fn.calls.find((call) => call.id > signal.id && call.id < submit.call.id && isSynchronise(call) && waitsForStream(file, call, key));
    if (wait && postDominates(wait, signal) && postDominates(submit.call, wait)) return { wait, signal };
  }
  return undefined;
}

function isSynchronise(call: Call): boolean {
  return /^(cudaStreamSynchronize|cuStreamSynchronize|cudaDeviceSynchronize|cuCtxSynchronize)$/.test(call.api?.name ?? '');
}

/** A submit that signals, host wait for the queue, then a stream that waits for a semaphore. */
function afterVulkan(fn: FunctionFacts): { wait: Call; signal: Call } | undefined {
  for (const submit of submitsIn(fn.calls).filter((each) => each.signals === 'some')) {
    const join = fn.calls.find((call) => call.id > submit.call.id && /^(cuda|cu)WaitExternalSemaphoresAsync$/.test(call.api?.name ?? ''));
    const wait =
      join &&
      fn.calls.find((call) => call.id > submit.call.id && call.id < join.id && /^vk(QueueWaitIdle|DeviceWaitIdle)$/.test(call.api?.name ?? ''));
    if (wait && postDominates(wait, submit.call) && postDominates(join, wait)) return { wait, signal: submit.call };
  }
  return undefined;
}
