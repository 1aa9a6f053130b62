/**
 * # teardown/unexplained-order
 *
 * ## What it does
 * Reports a clean-up that ends five or more objects of CUDA and of a graphics API, most of them without a comment that says why this one
 * comes here. Off unless it is asked for by name, in `seamscope.json` or by `--rule`.
 *
 * ## Why is this bad
 * The order of a teardown across two APIs is a chain of reasons: the import before its exporter, the texture before its array, all of it
 * behind the last wait. Nothing in the calls shows it, so the next change of the function breaks it, and the fault shows only on some
 * drivers.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * struct Seam { VkDevice device; VkBuffer buffer; VkDeviceMemory memory; VkSemaphore done; cudaExternalMemory_t imported; void* pixels; cudaStream_t stream; };
 * void close_seam(Seam& s) {
 *     cudaStreamSynchronize(s.stream);
 *     cudaFree(s.pixels);
 *     cudaDestroyExternalMemory(s.imported);
 *     vkDestroySemaphore(s.device, s.done, nullptr);
 *     vkDestroyBuffer(s.device, s.buffer, nullptr);
 *     vkFreeMemory(s.device, s.memory, nullptr);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * struct Seam { VkDevice device; VkBuffer buffer; VkDeviceMemory memory; VkSemaphore done; cudaExternalMemory_t imported; void* pixels; cudaStream_t stream; };
 * void close_seam(Seam& s) {
 *     cudaStreamSynchronize(s.stream);
 *     cudaFree(s.pixels);                             // a view of the import: first
 *     cudaDestroyExternalMemory(s.imported);          // before the memory that it imports
 *     vkDestroySemaphore(s.device, s.done, nullptr);  // no submit is left that signals it
 *     vkDestroyBuffer(s.device, s.buffer, nullptr);
 *     vkFreeMemory(s.device, s.memory, nullptr);      // the exporter last
 * }
 * ```
 *
 * ## What it cannot see
 * Whether a comment gives a reason, and reasons that stand somewhere else. Destructors of members end objects too and are not counted.
 */
import { endsGpuObject } from '../../analyses/releases';
import type { Call, FileFacts, FunctionFacts } from '../../facts/index';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ readonly name: string; readonly ends: number; readonly bare: number }>({
  meta: {
    id: 'teardown/unexplained-order',
    summary: 'A clean-up across CUDA and a graphics API does not say why its order is what it is.',
    severity: 'info',
    tier: 'A',
    precision: 'certain',
    fix: 'none',
    languages: cFamily,
    group: 'optional',
    since: '0.1.0',
  },

  message({ name, ends, bare }) {
    return `\`${name}\` ends ${ends} objects of two APIs, ${bare} of them without a comment: whoever changes it next cannot tell which order is needed. Say beside each one what it has to come before or behind.`;
  },

  detect(file, report) {
    for (const fn of file.subjects) {
      const ends = fn.kind === 'lambda' ? [] : fn.calls.filter(endsGpuObject);
      if (ends.length < 5 || !isAcrossApis(ends)) continue;
      const bare = ends.filter((call) => !isExplained(file, fn, call)).length;
      if (bare * 2 > ends.length) report({ at: fn.nameSpan, data: { name: fn.qualifiedName, ends: ends.length, bare } });
    }
  },
});

function isAcrossApis(calls: readonly Call[]): boolean {
  const isCuda = (call: Call) => /^(cuda|hip|cuvid)/.test(call.api!.api.family);
  return calls.some(isCuda) && !calls.every(isCuda);
}

/** A comment on the line of the call or right above it. Comments are no facts, so this one question goes to the text. */
function isExplained(file: FileFacts, fn: FunctionFacts, call: Call): boolean {
  const start = file.text.lastIndexOf('\n', call.span.start - 1) + 1;
  const end = file.text.indexOf('\n', call.span.end);
  const line = file.text.slice(start, end < 0 ? undefined : end);
  const above = file.text.slice(file.text.lastIndexOf('\n', start - 2) + 1, Math.max(start - 1, 0)).trim();
  const isInside = start > fn.span.start;
  return /\/\/|\/\*/.test(line) || (isInside && (/^(\/\/|\*|\/\*)/.test(above) || above.endsWith('*/')));
}
