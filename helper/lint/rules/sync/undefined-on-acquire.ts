/**
 * # sync/undefined-on-acquire
 *
 * ## What it does
 * Reports an image barrier that takes an image over from another API or device (queue family EXTERNAL or FOREIGN) with the old layout
 * UNDEFINED. With the preview rules also one that reads the old layout out of a variable which starts as UNDEFINED although the image comes
 * from elsewhere.
 *
 * ## Why is this bad
 * UNDEFINED means that the content is of no interest: the driver may throw the pixels away that the other side has just written. On
 * many GPUs it seems to work, with compressed or tiled images it shows garbage.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * void acquire(VkCommandBuffer commands, VkImage image, uint32_t family) {
 *     VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
 *     barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
 *     barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
 *     barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
 *     barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
 *     barrier.dstQueueFamilyIndex = family;
 *     barrier.image = image;
 *     vkCmdPipelineBarrier(commands, 1, 128, 0, 0, nullptr, 0, nullptr, 1, &barrier);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * void acquire(VkCommandBuffer commands, VkImage image, uint32_t family) {
 *     VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
 *     barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
 *     barrier.oldLayout = VK_IMAGE_LAYOUT_GENERAL;  // the layout in which the other side released it
 *     barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
 *     barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
 *     barrier.dstQueueFamilyIndex = family;
 *     barrier.image = image;
 *     vkCmdPipelineBarrier(commands, 1, 128, 0, 0, nullptr, 0, nullptr, 1, &barrier);
 * }
 * ```
 *
 * ## What it cannot see
 * Layouts and queue families that are computed or come from other files. Barriers that only write (colour attachment, transfer destination) are left
 * alone: who overwrites everything may discard.
 */
import { barriersSeenIn, startsUndefined } from '../../analyses/acquire-layouts';
import type { Handed } from '../../analyses/handed-barriers';
import { isExternalFamily, isIgnoredFamily } from '../../analyses/image-barriers';
import type { Expr } from '../../facts/index';
import { symbolOf, walk } from '../../facts/paths';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ family: string; start?: string }>({
  meta: {
    id: 'sync/undefined-on-acquire',
    summary: 'A barrier acquires a shared image with the old layout UNDEFINED, which discards its content.',
    severity: 'error',
    tier: 'A',
    precision: 'certain',
    fix: 'none',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message({ family, start }) {
    if (start)
      return `This barrier acquires the image from ${family} with the old layout in \`${start}\`, which is UNDEFINED the first time: that lets the driver discard what the other side wrote. Start with the layout in which the other side releases it, for example GENERAL.`;
    return `This barrier acquires the image from ${family} with the old layout UNDEFINED, which lets the driver discard what the other side wrote. Name the layout in which it was released, for example GENERAL.`;
  },

  detect(file, report) {
    for (const barrier of file.subjects.flatMap((fn) => barriersSeenIn(file, fn))) {
      const family = barrier.symbol('srcQueueFamilyIndex');
      const to = barrier.symbol('dstQueueFamilyIndex');
      if (!family || !isExternalFamily(family) || isExternalFamily(to) || isIgnoredFamily(to) || onlyWrites(barrier)) continue;
      const old = barrier.field('oldLayout');
      const isUndefined = old?.value === 'zero' || /^(VK_IMAGE_LAYOUT_UNDEFINED|eUndefined)$/.test(barrier.symbol('oldLayout') ?? '');
      if (old && isUndefined) report({ at: old.value === 'zero' ? barrier.at : old.at, data: { family } });
      const start = old && old.value !== 'zero' && !isUndefined ? startsUndefined(file, barrier) : undefined;
      if (start) {
        const related = [{ at: barrier.at, message: 'the image is acquired here' }];
        report({ at: start, data: { family, start: file.source(old!.value as Expr) }, related, isPreview: true });
      }
    }
  },
});

/** The acquired content is overwritten, as far as layout and access masks tell. */
function onlyWrites(barrier: Handed): boolean {
  if (/COLOR_ATTACHMENT|TRANSFER_DST|DEPTH|eColorAttachment|eTransferDst|eDepth/.test(barrier.symbol('newLayout') ?? '')) return true;
  const access = barrier.field('dstAccessMask')?.value;
  if (!access || access === 'zero') return false;
  const bits = [...walk(access)].flatMap((part) => symbolOf(part) ?? []);
  return bits.length > 0 && bits.every((bit) => /WRITE|Write/.test(bit));
}
