/**
 * # sync/write-before-wait
 *
 * ## What it does
 * Reports a loop or a method that runs once a frame in which one API writes shared memory and lets the other wait for it, while nothing in the file ever makes
 * the writer wait for the reader: no release value, no fence, no synchronise.
 *
 * ## Why is this bad
 * The semaphore orders the read behind the write, but not the next write behind the read. As soon as the writer is a frame ahead it
 * overwrites what is being read: tearing, or half of the next frame.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * void frames(cudaArray_t shared, const void* pixels, size_t pitch, cudaStream_t stream, cudaExternalSemaphore_t written,
 *            VkSemaphore written_vk, const VkPipelineStageFlags* stage, VkQueue queue, VkCommandBuffer draw) {
 *     for (;;) {
 *         cudaMemcpy2DToArrayAsync(shared, 0, 0, pixels, pitch, pitch, 64, cudaMemcpyDeviceToDevice, stream);
 *         cudaExternalSemaphoreSignalParams signal{};
 *         cudaSignalExternalSemaphoresAsync(&written, &signal, 1, stream);
 *         VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &written_vk, stage, 1, &draw};
 *         vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
 *     }
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * void frames(cudaArray_t shared, const void* pixels, size_t pitch, cudaStream_t stream, cudaExternalSemaphore_t written,
 *            VkSemaphore written_vk, cudaExternalSemaphore_t released, VkSemaphore released_vk, const VkPipelineStageFlags* stage,
 *            VkQueue queue, VkCommandBuffer draw) {
 *     for (;;) {
 *         cudaExternalSemaphoreWaitParams wait{};
 *         cudaWaitExternalSemaphoresAsync(&released, &wait, 1, stream);  // Vulkan has read the frame before
 *         cudaMemcpy2DToArrayAsync(shared, 0, 0, pixels, pitch, pitch, 64, cudaMemcpyDeviceToDevice, stream);
 *         cudaExternalSemaphoreSignalParams signal{};
 *         cudaSignalExternalSemaphoresAsync(&written, &signal, 1, stream);
 *         VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &written_vk, stage, 1, &draw, 1, &released_vk};
 *         vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
 *     }
 * }
 * ```
 *
 * ## What it cannot see
 * Waits in other files: any call by a name that may wait silences it, and so does a fence given to the submit. A function that runs once
 * and not for every frame is told by a loop around the work, or by the name of a method.
 */
import { type Submit, submitsIn, waitsForQueue } from '../../analyses/queue-submits';
import { touchesShared } from '../../analyses/shared-memory';
import { copiesToHost, mayWait, worksIn } from '../../analyses/stream-order';
import type { Call, FileFacts, FunctionFacts } from '../../facts/index';
import { dominates, inLoop } from '../../flow/order';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly writer: string;
  readonly reader: string;
  readonly by: 'CUDA' | 'Vulkan';
}

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/write-before-wait',
    summary: 'Shared memory is written again while the other API may still read the frame before.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ writer, reader, by }) {
    const release =
      by === 'CUDA'
        ? 'Let the submit signal a release semaphore and the stream wait for it'
        : 'Signal a release semaphore behind the CUDA work and let the submit wait for it';
    return `\`${writer}\` overwrites the shared memory in every frame, but nothing waits until \`${reader}\` of the frame before has read it. ${release}, or wait on the host before the write.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      const found = cudaWrites(file, fn) ?? vulkanWrites(file, fn);
      if (found)
        report({
          at: found.writer,
          data: { writer: found.writer.name, reader: found.reader.name, by: found.by },
          related: [{ at: found.reader, message: 'may still be reading' }],
        });
    }
  },
});

interface Found {
  readonly writer: Call;
  readonly reader: Call;
  readonly by: Data['by'];
}

/** Work, signal, a submit that waits and tells nobody when it is done. */
function cudaWrites(file: FileFacts, fn: FunctionFacts): Found | undefined {
  const submit = submitsIn(fn.calls).find((each) => each.waits === 'some' && isMute(each));
  const signal = submit && fn.calls.find((call) => isCall(call, 'SignalExternalSemaphoresAsync') && dominates(call, submit.call));
  const work = signal && worksIn(file, fn).find(({ call }) => dominates(call, signal) && !copiesToHost(call) && touchesShared(file, call));
  if (!submit || !work || !isPerFrame(work.call) || waitsAnywhere(file, fn, hostOrStreamWait)) return undefined;
  return { writer: work.call, reader: submit.call, by: 'CUDA' };
}

/** A submit that signals, a stream that waits and reads, and nothing that goes back. */
function vulkanWrites(file: FileFacts, fn: FunctionFacts): Found | undefined {
  const submit = submitsIn(fn.calls).find((each) => each.waits === 'none' && each.signals === 'some');
  const wait = submit && fn.calls.find((call) => isCall(call, 'WaitExternalSemaphoresAsync') && dominates(submit.call, call));
  const work = wait && worksIn(file, fn).find(({ call }) => dominates(wait, call) && touchesShared(file, call));
  if (!submit || !work || !isPerFrame(submit.call) || waitsAnywhere(file, fn, cudaGoesBack)) return undefined;
  return { writer: submit.call, reader: work.call, by: 'Vulkan' };
}

function isMute({ signals, fence }: Submit): boolean {
  return signals === 'none' && fence === 'none';
}

function isCall(call: Call, suffix: string): boolean {
  return new RegExp(`^(cuda|cu)${suffix}$`).test(call.api?.name ?? '');
}

/** A loop around the work, or a method that runs once a frame; the callers of a free function may wait between its calls. */
function isPerFrame(call: Call): boolean {
  return inLoop(call) || (call.fn.kind === 'method' && /frame|render|draw|tick|present|step|update/i.test(call.fn.name));
}

function hostOrStreamWait(call: Call): boolean {
  return waitsForQueue(call) || isCall(call, 'WaitExternalSemaphoresAsync');
}

function cudaGoesBack(call: Call): boolean {
  const { api } = call;
  if (!api || !/^(cuda-driver|cuda-runtime|hip)$/.test(api.api.family)) return /^vk(QueueWaitIdle|DeviceWaitIdle)$/.test(api?.name ?? '');
  return api.does('sync') || api.does('record') || api.does('signal') || /Query$|LaunchHostFunc$/.test(api.name);
}

/** A wait that may guard the next frame: anywhere in the file but in its teardown, or by a callee that nobody sees. */
function waitsAnywhere(file: FileFacts, fn: FunctionFacts, isWait: (call: Call) => boolean): boolean {
  const others = file.functions.filter(
    (each) => each !== fn && each.kind !== 'destructor' && !/destroy|cleanup|clean_up|shutdown|release|free|close|terminate/i.test(each.name),
  );
  return fn.events.some((event) => mayWait(file, event, isWait)) || others.some((each) => each.calls.some(isWait));
}
