/**
 * # memory/dedicated-missing
 *
 * ## What it does
 * Reports an exportable allocation for one image that chains no `VkMemoryDedicatedAllocateInfo`.
 *
 * ## Why is this bad
 * Whether an external image needs memory of its own is a property of driver, format and handle type that shows only at run time
 * (`VkMemoryDedicatedRequirements`, `VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT`). Several drivers require it for dma-bufs and some for
 * all shared images; there the export or the import fails, or the other side reads with the wrong layout. A dedicated allocation is
 * right everywhere.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * VkResult back_image(VkDevice device, VkImage image, uint32_t type, VkDeviceMemory* memory) {
 *     VkMemoryRequirements needs;
 *     vkGetImageMemoryRequirements(device, image, &needs);
 *     VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
 *     exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported, needs.size, type};
 *     return vkAllocateMemory(device, &info, nullptr, memory);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * VkResult back_image(VkDevice device, VkImage image, uint32_t type, VkDeviceMemory* memory) {
 *     VkMemoryRequirements needs;
 *     vkGetImageMemoryRequirements(device, image, &needs);
 *     VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr, image};
 *     VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, &dedicated};
 *     exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported, needs.size, type};
 *     return vkAllocateMemory(device, &info, nullptr, memory);
 * }
 * ```
 *
 * ## What it cannot see
 * What the driver asks for: the finding is information, and a warning only where the function has asked for the dedicated requirements.
 * Chains that other functions build, pools and VMA, which decides for itself.
 */
import { allocationsIn, onlyImageOf } from '../../analyses/image-memory';
import { pathText } from '../../facts/paths';
import { bareType } from '../../knowledge/index';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ image: string }>({
  meta: {
    id: 'memory/dedicated-missing',
    summary: 'The exportable memory of an image is not allocated as dedicated, which drivers may require.',
    severity: 'info',
    tier: 'B',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ image }) {
    return `The exportable memory of \`${image}\` chains no VkMemoryDedicatedAllocateInfo: drivers may require dedicated memory for shared images, and then export or import fails. Chain one that names the image, and tell a CUDA import by its dedicated flag.`;
  },

  detect(file, report) {
    for (const allocation of file.subjects.flatMap((fn) => allocationsIn(file, fn))) {
      if (!allocation.has(/^VkExportMemoryAllocateInfo/) || allocation.has(/Dedicated|^VkImport/)) continue;
      const owner = onlyImageOf(file, allocation);
      if (!owner) continue;
      const asked = allocation.call.fn.locals.some((local) => /^VkMemoryDedicatedRequirements/.test(bareType(local.type)));
      const related = [{ at: owner.call, message: 'the memory is for this image' }];
      report({ at: allocation.call, data: { image: pathText(owner.image) }, related, severity: asked ? 'warning' : 'info' });
    }
  },
});
