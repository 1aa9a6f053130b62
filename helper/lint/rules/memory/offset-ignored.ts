/**
 * # memory/offset-ignored
 *
 * ## What it does
 * Reports external memory that is mapped at offset 0 although the resource is a part of a larger block.
 *
 * ## Why is this bad
 * An allocator puts many resources into one `VkDeviceMemory`. What is exported is the block; at its offset 0 lies some other
 * resource, which the other API then reads or overwrites.
 *
 * ## Example
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * struct Allocation { VkDeviceMemory memory; VkDeviceSize offset; VkDeviceSize size; };
 * int export_memory(VkDeviceMemory memory);
 * void map_buffer(const Allocation& allocation, cudaExternalMemory_t imported, void** out) {
 *     remember(imported, export_memory(allocation.memory));
 *     cudaExternalMemoryBufferDesc desc{};
 *     desc.size = allocation.size;
 *     cudaExternalMemoryGetMappedBuffer(out, imported, &desc);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <cuda_runtime.h>
 * #include <vulkan/vulkan.h>
 * struct Allocation { VkDeviceMemory memory; VkDeviceSize offset; VkDeviceSize size; };
 * int export_memory(VkDeviceMemory memory);
 * void map_buffer(const Allocation& allocation, cudaExternalMemory_t imported, void** out) {
 *     remember(imported, export_memory(allocation.memory));
 *     cudaExternalMemoryBufferDesc desc{};
 *     desc.offset = allocation.offset;
 *     desc.size = allocation.size;
 *     cudaExternalMemoryGetMappedBuffer(out, imported, &desc);
 * }
 * ```
 *
 * ## What it cannot see
 * Allocators whose structs are declared elsewhere, VMA apart. A file that allocates as dedicated is left alone: there the offset is 0.
 */
import { ignoredOffsets } from '../../analyses/pooled-memory';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ mapper: string; offset: string }>({
  meta: {
    id: 'memory/offset-ignored',
    summary: 'A resource inside a larger block of memory is mapped at offset 0.',
    severity: 'warning',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ mapper, offset }) {
    return `${mapper} maps the shared block at offset 0, but the resource lies at \`${offset}\` inside it: the other API gets whatever the block begins with. Pass the offset on, or allocate the resource as dedicated.`;
  },

  detect(file, report) {
    for (const { mapping, at, part, offset } of ignoredOffsets(file))
      report({ at, data: { mapper: mapping.name, offset }, related: [{ at: part, message: 'a part of a larger block' }] });
  },
});
