/**
 * # memory/offset-ignored
 *
 * ## What it does
 * Reports external memory that is mapped at offset 0 although the resource is a part of a larger block, and an IPC handle of a pointer
 * inside an allocation that is sent without the offset.
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
import { type DroppedOffset, droppedOffsets } from '../../analyses/ipc-offsets';
import { ignoredOffsets } from '../../analyses/pooled-memory';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ mapper: string; offset: string; kind: 'mapped' | DroppedOffset['kind'] }>({
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

  message({ mapper, offset, kind }) {
    if (kind !== 'mapped') {
      const why =
        kind === 'computed'
          ? `\`${offset}\` lies inside it, and the message has no place for the offset`
          : kind === 'tensor'
            ? `\`${offset}\` is a part of a block of the caching allocator`
            : `nobody fills \`${offset}\``;
      return `${mapper} describes the whole allocation, not the address it is given, and ${why}: the peer reads what lies at the start of the block. Ask cuMemGetAddressRange for its base, and send the offset along.`;
    }
    return `${mapper} maps the shared block at offset 0, but the resource lies at \`${offset}\` inside it: the other API gets whatever the block begins with. Pass the offset on, or allocate the resource as dedicated.`;
  },

  detect(file, report) {
    for (const { at, what, kind } of file.subjects.flatMap((fn) => droppedOffsets(file, fn)))
      report({ at, data: { mapper: at.name, offset: what, kind } });
    for (const { mapping, at, part, offset } of ignoredOffsets(file))
      report({ at, data: { mapper: mapping.name, offset, kind: 'mapped' }, related: [{ at: part, message: 'a part of a larger block' }] });
  },
});
