/**
 * # sync/external-barrier
 *
 * ## What it does
 * Notes a barrier on an image that the same file creates for sharing (`VkExternalMemoryImageCreateInfo`), when the file never names the
 * queue family EXTERNAL or FOREIGN.
 *
 * ## Why is this bad
 * The specification asks for a transfer of ownership to and from VK_QUEUE_FAMILY_EXTERNAL when another API uses the memory. It makes the
 * driver flush caches and decompress the image. Much public code goes without and works on today's NVIDIA drivers, so this is only a
 * note.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * void share(VkDevice device, VkCommandBuffer commands, VkImageCreateInfo create, VkImage* image) {
 *     VkExternalMemoryImageCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO};
 *     create.pNext = &external;
 *     vkCreateImage(device, &create, nullptr, image);
 *     VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
 *     barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
 *     barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
 *     barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
 *     barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
 *     barrier.image = *image;
 *     vkCmdPipelineBarrier(commands, 1, 1, 0, 0, nullptr, 0, nullptr, 1, &barrier);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * void share(VkDevice device, VkCommandBuffer commands, VkImageCreateInfo create, VkImage* image, uint32_t family) {
 *     VkExternalMemoryImageCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO};
 *     create.pNext = &external;
 *     vkCreateImage(device, &create, nullptr, image);
 *     VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
 *     barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
 *     barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
 *     barrier.srcQueueFamilyIndex = family;
 *     barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;  // handed over to CUDA
 *     barrier.image = *image;
 *     vkCmdPipelineBarrier(commands, 1, 1, 0, 0, nullptr, 0, nullptr, 1, &barrier);
 * }
 * ```
 *
 * ## What it cannot see
 * Transfers in other files; where a function of the file is given the queue families, it says nothing. The first transition of a new image (from UNDEFINED) is left alone. One note a file.
 */
import { eventId } from '../../analyses/cuda-events';
import { externalFamily, type ImageBarrier, imageBarriers, isIgnoredFamily } from '../../analyses/image-barriers';
import type { FileFacts } from '../../facts/index';
import { pathOf, pathText } from '../../facts/paths';
import { callsTo } from '../../flow/calls';
import { functionId } from '../../flow/function-id';
import { chainOf } from '../../flow/visible';
import { fileQuery } from '../../memo/query';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ image: string }>({
  meta: {
    id: 'sync/external-barrier',
    summary: 'A shared image is used without a queue-family transfer to EXTERNAL.',
    severity: 'info',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ image }) {
    return `\`${image}\` is shared with another API, but no barrier of this file transfers it to or from VK_QUEUE_FAMILY_EXTERNAL, as the specification asks for. Many drivers do without; strictly, release it to EXTERNAL behind the writes and acquire it before the next use.`;
  },

  detect(file, report) {
    const shared = sharedImages(file);
    if (shared.size === 0 || mentionsExternal(file)) return;
    const barriers = imageBarriers(file, file.functions);
    if (barriers.some(isFilledByCaller)) return;
    for (const barrier of barriers) {
      const written = barrier.field('image')?.value;
      const image = written && written !== 'zero' ? pathOf(written) : undefined;
      const id = image && eventIdOf(file, barrier.fn, image);
      const isFirst = /UNDEFINED|eUndefined|PREINITIALIZED/.test(barrier.symbol('oldLayout') ?? 'UNDEFINED');
      const stays = isIgnoredFamily(barrier.symbol('srcQueueFamilyIndex')) && isIgnoredFamily(barrier.symbol('dstQueueFamilyIndex'));
      if (!image || !id || !shared.has(id) || isFirst || !stays) continue;
      report({ at: barrier.at, data: { image: pathText(image) } });
      return;
    }
  },
});

/** A function of the file that takes the families: callers elsewhere may well give EXTERNAL. */
function isFilledByCaller(barrier: ImageBarrier): boolean {
  return ['srcQueueFamilyIndex', 'dstQueueFamilyIndex'].some((name) => {
    const value = barrier.field(name)?.value;
    return value !== undefined && value !== 'zero' && pathOf(value)?.kind === 'param';
  });
}

const mentionsExternal = fileQuery((file) => file.hasToken('word', externalFamily));

const imageCreations = callsTo(/^vkCreateImage$/);

/** Images that this file creates with VkExternalMemoryImageCreateInfo on the chain. */
const sharedImages = fileQuery((file): ReadonlySet<string> => {
  const found = imageCreations(file).flatMap((call) => {
    const path = call.api!.path('image');
    const isShared = chainOf(file, call, 'info').structs.some((struct) => /ExternalMemoryImageCreateInfo/.test(struct.type ?? ''));
    return path && isShared ? (eventIdOf(file, call.fn, path) ?? []) : [];
  });
  return new Set(found);
});

/** Parameters are known inside their function. */
function eventIdOf(file: FileFacts, fn: Parameters<typeof eventId>[1], path: Parameters<typeof eventId>[2]): string | undefined {
  const isBare = path.kind === 'param' && path.steps.every((step) => !step.startsWith('.'));
  return isBare ? `${functionId(fn)} ${path.root}` : eventId(file, fn, path);
}
