/**
 * # sync/free-before-done
 *
 * ## What it does
 * Reports a resource that is freed or destroyed in the function that has just submitted or queued work with it, without a wait.
 *
 * ## Why is this bad
 * `vkQueueSubmit` and asynchronous CUDA calls return before the GPU has begun. A staging buffer, a command buffer, or an
 * imported memory must live until that work is done; freed earlier, the GPU reads what is no longer there.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * void upload(VkDevice device, VkQueue queue, VkCommandBuffer commands, VkBuffer staging, VkBuffer target, const VkBufferCopy& region) {
 *     vkCmdCopyBuffer(commands, staging, target, 1, &region);
 *     VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
 *     submit.commandBufferCount = 1;
 *     submit.pCommandBuffers = &commands;
 *     vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
 *     vkDestroyBuffer(device, staging, nullptr);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * void upload(VkDevice device, VkQueue queue, VkCommandBuffer commands, VkBuffer staging, VkBuffer target, const VkBufferCopy& region) {
 *     vkCmdCopyBuffer(commands, staging, target, 1, &region);
 *     VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
 *     submit.commandBufferCount = 1;
 *     submit.pCommandBuffers = &commands;
 *     vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
 *     vkQueueWaitIdle(queue);  // the copy reads the staging buffer
 *     vkDestroyBuffer(device, staging, nullptr);
 * }
 * ```
 *
 * ## What it cannot see
 * Work submitted by other functions, and waits in functions that nobody sees, which silence it. `cudaFree` and `cudaFreeHost` wait for
 * the device by themselves; what frees on a stream is judged by that stream. Texture and surface objects are left
 * alone: drivers keep what queued kernels need of them, and much code relies on it. Streams of which only the names differ show with the
 * preview rules only.
 */
import { eventId } from '../../analyses/cuda-events';
import { waitsForQueue } from '../../analyses/queue-submits';
import { areCertainlyTwo, streamOf } from '../../analyses/stream-identity';
import { streamKey, unorderedBetween, type Work, waitsForStream, worksIn } from '../../analyses/stream-order';
import type { Call, FileFacts, FunctionFacts, Path } from '../../facts/index';
import { expressionsOf, isWithin, lastName, pathOf, pathText, samePath, walk } from '../../facts/paths';
import { callsTo } from '../../flow/calls';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ freed: string; by: string; user: string }>({
  meta: {
    id: 'sync/free-before-done',
    summary: 'A resource is freed while submitted or queued work may still use it.',
    severity: 'error',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ freed, by, user }) {
    return `\`${by}\` frees \`${freed}\` while the work of \`${user}\` may still use it: nothing between the two waits for that work. Wait for its fence, queue or stream first, or free it when the frame's fence has passed.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      if (fn.degraded) continue;
      const works = worksIn(file, fn);
      for (const call of fn.calls) {
        const found = vulkanUser(file, fn, call) ?? cudaUser(file, works, call);
        if (found)
          report({
            at: call,
            data: { freed: pathText(found.freed), by: call.name, user: found.user.name },
            related: [{ at: found.user, message: 'may still be running' }],
            isPreview: !found.isSure,
          });
      }
    }
  },
});

interface User {
  readonly user: Call;
  readonly freed: Path;
  /** False where nothing but names tells that the free goes to another stream. */
  readonly isSure: boolean;
}

const vulkanFrees: Readonly<Record<string, string>> = {
  vkDestroyBuffer: 'buffer',
  vkDestroyImage: 'image',
  vkDestroyImageView: 'view',
  vkFreeMemory: 'memory',
  vkFreeCommandBuffers: 'commandBuffer',
  vkDestroyPipeline: 'pipeline',
  vkDestroyFramebuffer: 'framebuffer',
  vmaDestroyBuffer: 'buffer',
  vmaDestroyImage: 'image',
};

/** A submit after the resource was recorded or put into its info. */
function vulkanUser(file: FileFacts, fn: FunctionFacts, free: Call): User | undefined {
  const name = free.api?.name ?? '';
  const freed = Object.hasOwn(vulkanFrees, name) ? free.api!.path(vulkanFrees[name]!) : undefined;
  if (!freed) return undefined;
  const submit = fn.calls.findLast((call) => call.id < free.id && /^vkQueueSubmit2?$/.test(call.api?.name ?? ''));
  if (!submit || !isRecorded(fn, submit, freed)) return undefined;
  const waits = (call: Call) => waitsForQueue(call) && !/QueuePresent|ExternalSemaphores/.test(call.api!.name);
  return unorderedBetween(file, submit, free, waits) ? { user: submit, freed, isSure: true } : undefined;
}

/** The resource, or what is bound to the memory, stands in a recording call or in the list of submitted command buffers. */
function isRecorded(fn: FunctionFacts, submit: Call, freed: Path): boolean {
  const bound = fn.calls.flatMap((call) =>
    /^vkBind(Buffer|Image)Memory$/.test(call.api?.name ?? '') && samePath(call.api!.path('memory'), freed)
      ? [call.api!.path('buffer') ?? call.api!.path('image')]
      : [],
  );
  const names = [freed, ...bound.filter((path) => path !== undefined)];
  return fn.events.some((event) => {
    if (event.id > submit.id) return false;
    const isList = event.kind === 'assign' && /^(pCommandBuffers|commandBuffer)$/.test(lastNameOf(event.target));
    const isRecording = event.kind === 'call' && (/^vkCmd/.test(event.api?.name ?? event.name) || event === submit);
    const parts =
      isRecording || isList
        ? expressionsOf(event)
        : event.kind === 'assign' && event.declares && /SubmitInfo/.test(event.declares.type)
          ? expressionsOf(event)
          : [];
    return parts.some((expr) => [...walk(expr)].some((part) => part.kind === 'path' && names.some((path) => isWithin(part.path, path))));
  });
}

function lastNameOf(target: Parameters<typeof pathOf>[0]): string {
  const path = pathOf(target);
  return path ? lastName(path) : '';
}

/** What a CUDA call ends that does not wait for work by itself. */
const cudaFrees: Readonly<Record<string, string>> = {
  cudaDestroyExternalMemory: 'memory',
  cuDestroyExternalMemory: 'memory',
  cudaIpcCloseMemHandle: 'ptr',
  cuIpcCloseMemHandle: 'ptr',
  cudaFreeAsync: 'ptr',
  cuMemFreeAsync: 'ptr',
};

function cudaUser(file: FileFacts, works: readonly Work[], free: Call): User | undefined {
  const name = free.api?.name ?? '';
  const freed = Object.hasOwn(cudaFrees, name) ? free.api!.path(cudaFrees[name]!) : undefined;
  if (!freed) return undefined;
  const names = (fn: FunctionFacts) => [freed, ...mappedFrom(file, free, freed, fn)];
  const own = free.api!.arg('stream') || /Async$/.test(name) ? streamKey(file, free, free.api!.arg('stream')) : undefined;
  const found = works.findLast((work) => {
    if (work.call.id >= free.id || work.key === own || !mentions(work.call, names(work.call.fn))) return false;
    if (own === 'default' || (own !== undefined && work.key === 'default')) return false;
    return unorderedBetween(
      file,
      work.call,
      free,
      (call) => waitsForStream(file, call, work.key) || (own !== undefined && (call.api?.does('wait') ?? false)),
    );
  });
  const isSure = found && (own === undefined || areCertainlyTwo(file, streamOf(found), { key: own, written: free.api!.arg('stream'), fn: free.fn }));
  return found && { user: found.call, freed, isSure: isSure === true };
}

function mentions(call: Call, names: readonly Path[]): boolean {
  return call.args.some((arg) => [...walk(arg)].some((part) => part.kind === 'path' && names.some((path) => samePath(part.path, path))));
}

/** Pointers that the file maps from an external memory, as this function names them. */
function mappedFrom(file: FileFacts, free: Call, memory: Path, fn: FunctionFacts): Path[] {
  const id = eventId(file, free.fn, memory);
  return mappings(file).flatMap((call) => {
    const from = call.api!.path('memory');
    const ptr = call.api!.path('ptr');
    const isSame = from && (call.fn === fn ? samePath(from, memory) : id !== undefined && eventId(file, call.fn, from) === id);
    return isSame && ptr && (call.fn === fn || ptr.kind === 'this') ? [ptr] : [];
  });
}

const mappings = callsTo(/^(cuda|cu)ExternalMemoryGetMappedBuffer$/);
