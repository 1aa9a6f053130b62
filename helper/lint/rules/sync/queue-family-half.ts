/**
 * # sync/queue-family-half
 *
 * ## What it does
 * Reports an image barrier that names EXTERNAL or FOREIGN as one queue family and IGNORED as the other, and one from a family to itself
 * where the image was released to EXTERNAL and nothing in the file acquires it back. With a dma-buf import in the same function,
 * EXTERNAL is reported as information.
 *
 * ## Why is this bad
 * A transfer of ownership needs both families: this queue's own and EXTERNAL. With IGNORED on one side the barrier breaks the
 * specification, and the driver may leave out the flush or the decompression that the other API relies on. EXTERNAL means another API
 * on the same driver and device; a dma-buf may come from anywhere, which is what FOREIGN_EXT is for.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * void release(VkCommandBuffer commands, VkImageMemoryBarrier& barrier) {
 *     barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
 *     barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
 *     vkCmdPipelineBarrier(commands, 1, 128, 0, 0, nullptr, 0, nullptr, 1, &barrier);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * void release(VkCommandBuffer commands, VkImageMemoryBarrier& barrier, uint32_t family) {
 *     barrier.srcQueueFamilyIndex = family;  // of the queue that this command buffer is submitted to
 *     barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
 *     vkCmdPipelineBarrier(commands, 1, 128, 0, 0, nullptr, 0, nullptr, 1, &barrier);
 * }
 * ```
 *
 * ## What it cannot see
 * Families that are computed or handed in, buffer barriers, and whether the other API does its half. Where the file knows images that are
 * shared concurrently, IGNORED may be right. Only with the preview rules: EXTERNAL for a dma-buf, and barriers that seem to take nothing back.
 */
import { acquiresOf, type Handed, handedBarriers, mentionsExternal, releasesOf } from '../../analyses/handed-barriers';
import { type ImageBarrier, imageBarriers, isExternalFamily, isIgnoredFamily, type Written } from '../../analyses/image-barriers';
import type { FileFacts, FunctionFacts } from '../../facts/index';
import { expressionsOf, lastName, pathOf, pathText, samePath, symbolOf, walk } from '../../facts/paths';
import { fileQuery } from '../../memo/query';
import { cFamily, defineRule, type Problem } from '../rule';

type Data =
  | { readonly kind: 'half'; readonly external: string }
  | { readonly kind: 'dma-buf' }
  | { readonly kind: 'unpaired'; readonly family: string };

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/queue-family-half',
    summary: 'A barrier names EXTERNAL or FOREIGN as one queue family and IGNORED as the other.',
    severity: 'error',
    tier: 'A',
    precision: 'certain',
    fix: 'none',
    languages: cFamily,
    group: 'stable',
    since: '0.1.0',
    evidence: 'twins',
  },

  message(data) {
    if (data.kind === 'dma-buf')
      return 'A dma-buf may come from another driver or device, for which EXTERNAL is not meant. Use VK_QUEUE_FAMILY_FOREIGN_EXT where VK_EXT_queue_family_foreign is there.';
    if (data.kind === 'unpaired')
      return `The image goes to the other API by a release, but this barrier names \`${data.family}\` on both sides: nothing is transferred back, and what the other API wrote need not become visible. Acquire it with VK_QUEUE_FAMILY_EXTERNAL as the source.`;
    return `A barrier with ${data.external} on one side and IGNORED on the other transfers nothing and is invalid: no flush, no decompression for the other API. Name the family of this queue instead of IGNORED.`;
  },

  detect(file, report) {
    for (const { at, release, family } of mentionsExternal(file) ? file.subjects.flatMap((fn) => unpairedIn(file, fn)) : [])
      report({
        at,
        data: { kind: 'unpaired', family },
        related: [{ at: release.at, message: 'released to the other API here' }],
        isPreview: true,
      });
    for (const barrier of imageBarriers(file, file.subjects)) checkHalves(file, barrier, report);
  },
});

/** With concurrent sharing one of the two families has to be IGNORED. */
const sharesConcurrently = fileQuery((file) => file.hasToken('word', /^(VK_SHARING_MODE_CONCURRENT|eConcurrent)$/));

function checkHalves(file: FileFacts, barrier: ImageBarrier, report: (problem: Problem<Data>) => void): void {
  const [from, to] = [barrier.symbol('srcQueueFamilyIndex'), barrier.symbol('dstQueueFamilyIndex')];
  const external = [from, to].find(isExternalFamily);
  if (!external) return;
  const ignored = isIgnoredFamily(from) ? 'srcQueueFamilyIndex' : isIgnoredFamily(to) ? 'dstQueueFamilyIndex' : undefined;
  if (ignored) {
    if (!sharesConcurrently(file)) report({ at: place(barrier, ignored), data: { kind: 'half', external } });
  } else if (/EXTERNAL|External/.test(external) && importsDmaBuf(barrier.fn))
    report({
      at: place(barrier, isExternalFamily(from) ? 'srcQueueFamilyIndex' : 'dstQueueFamilyIndex'),
      data: { kind: 'dma-buf' },
      severity: 'info',
      isPreview: true,
    });
}

interface Unpaired {
  readonly at: Written['at'];
  readonly release: Handed;
  readonly family: string;
  readonly isIgnored: boolean;
}

/** Barriers from a family to itself, out of the layout in which the image was released, where no barrier of the file acquires it. */
function unpairedIn(file: FileFacts, fn: FunctionFacts): Unpaired[] {
  return handedBarriers(file, fn).flatMap((barrier) => {
    const [from, to] = [barrier.field('srcQueueFamilyIndex'), barrier.field('dstQueueFamilyIndex')];
    const [source, target] = [familyOf(from), familyOf(to)];
    if (!from || source === undefined || source !== target || acquiresOf(file).length > 0) return [];
    const isIgnored = source === 0 || isIgnoredFamily(barrier.symbol('srcQueueFamilyIndex'));
    const release = releasesOf(file).find((each) => isSameImage(each, barrier) && (isIgnored ? isBack(each, barrier) : each.fn !== fn));
    return release ? [{ at: from.at, release, family: source === 0 ? '0' : source, isIgnored }] : [];
  });
}

function familyOf(written: Written | undefined): string | 0 | undefined {
  if (!written || written.value === 'zero') return written && 0;
  const path = pathOf(written.value);
  return path && pathText(path);
}

/** IGNORED says nothing about the image: it has to be the same one for certain, and what comes round again. */
function isBack(release: Handed, barrier: Handed): boolean {
  const [one, other] = [release, barrier].map(({ field }) => {
    const value = field('image')?.value;
    return value && value !== 'zero' ? pathOf(value) : undefined;
  });
  if (!samePath(one, other)) return false;
  return release.fn === barrier.fn ? release.at.span.start > barrier.at.span.start && one!.kind !== 'local' : one!.kind === 'this';
}

/** The layouts fit, and both name the image alike. */
function isSameImage(release: Handed, barrier: Handed): boolean {
  const layout = release.symbol('newLayout');
  const [one, other] = [imageOf(release), imageOf(barrier)];
  return layout !== undefined && layout === barrier.symbol('oldLayout') && one !== undefined && one === other;
}

function imageOf(barrier: Handed): string | undefined {
  const value = barrier.field('image')?.value;
  const path = value && value !== 'zero' ? pathOf(value) : undefined;
  return path && lastName(path);
}

function place(barrier: ImageBarrier, name: string): Written['at'] {
  return barrier.field(name)!.at;
}

function importsDmaBuf(fn: FunctionFacts): boolean {
  const importsFd = fn.events.some((event) => /ImportMemoryFdInfo/.test(event.kind === 'assign' ? (event.declares?.type ?? '') : ''));
  const names = fn.events.flatMap((event) => expressionsOf(event).flatMap((expr) => [...walk(expr)].flatMap((part) => symbolOf(part) ?? [])));
  return importsFd && names.some((name) => /^(VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT|eDmaBufEXT)$/.test(name));
}
