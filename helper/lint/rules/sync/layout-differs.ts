/**
 * # sync/layout-differs
 *
 * ## What it does
 * Reports a layout given to `glSignalSemaphoreEXT` that none of the barriers that acquire from the other API takes as its old layout, and a
 * layout given to `glWaitSemaphoreEXT` that none of the barriers that release to it ends in.
 *
 * ## Why is this bad
 * GL leaves a texture in the layout that it is told at the signal, and takes it over in the one told at the wait. Vulkan cannot ask: its
 * barrier on the other side has to name the same layout. Otherwise the transition starts from a layout that the image is not in, and
 * compressed contents may be lost.
 *
 * ## Example
 * ```cpp
 * #include <GL/glew.h>
 * #include <vulkan/vulkan.h>
 * void paint(GLuint done, GLuint texture) {
 *     const GLenum layout = GL_LAYOUT_COLOR_ATTACHMENT_EXT;
 *     glSignalSemaphoreEXT(done, 0, nullptr, 1, &texture, &layout);
 *     glFlush();
 * }
 * void acquire(VkCommandBuffer commands, VkImage image, uint32_t family) {
 *     VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
 *     barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
 *     barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
 *     barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
 *     barrier.dstQueueFamilyIndex = family;
 *     barrier.image = image;
 *     vkCmdPipelineBarrier(commands, 1, 4096, 0, 0, nullptr, 0, nullptr, 1, &barrier);
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <GL/glew.h>
 * #include <vulkan/vulkan.h>
 * void paint(GLuint done, GLuint texture) {
 *     const GLenum layout = GL_LAYOUT_TRANSFER_SRC_EXT;
 *     glSignalSemaphoreEXT(done, 0, nullptr, 1, &texture, &layout);
 *     glFlush();
 * }
 * void acquire(VkCommandBuffer commands, VkImage image, uint32_t family) {
 *     VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
 *     barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
 *     barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
 *     barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
 *     barrier.dstQueueFamilyIndex = family;
 *     barrier.image = image;
 *     vkCmdPipelineBarrier(commands, 1, 4096, 0, 0, nullptr, 0, nullptr, 1, &barrier);
 * }
 * ```
 *
 * ## What it cannot see
 * Barriers in other files, layouts that are computed, and which of several shared images a barrier is about: as long as one of them
 * fits, it is silent.
 */
import { acquiresOf, type Handed, mentionsExternal, releasesOf } from '../../analyses/handed-barriers';
import type { Call, Event, Expr } from '../../facts/index';
import { addressOf, pathOf, symbolOf } from '../../facts/paths';
import { callsTo } from '../../flow/calls';
import { definitionsAt } from '../../flow/definitions';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly call: string;
  readonly given: string;
  readonly barrier: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'sync/layout-differs',
    summary: 'The layout that GL is told at a semaphore is another than the one that Vulkan acquires or releases with.',
    severity: 'error',
    tier: 'C',
    precision: 'likely',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ call, given, barrier }) {
    const side = /Signal/.test(call) ? 'acquires the image from' : 'releases the image in';
    return `${call} is told \`${given}\`, but Vulkan ${side} \`${barrier}\`. The two have to be the same layout, neither API can ask the other: give both the same.`;
  },

  detect(file, report) {
    if (!mentionsExternal(file) || glCalls(file).length === 0) return;
    for (const call of glCalls(file)) {
      if (!file.subjects.includes(call.fn)) continue;
      const told = toldTo(call);
      const isSignal = call.api!.name === 'glSignalSemaphore';
      const barriers = isSignal ? acquiresOf(file) : releasesOf(file);
      const wanted = layoutsOf(barriers, isSignal ? 'oldLayout' : 'newLayout');
      if (!told || !wanted || wanted.length === 0 || wanted.some((each) => isSame(told.symbol, each.symbol))) continue;
      const [other] = wanted;
      report({
        at: told.at,
        data: { call: call.name, given: told.symbol, barrier: other!.symbol },
        related: [{ at: other!.barrier.at, message: 'Vulkan’s side is here' }],
      });
    }
  },
});

const glCalls = callsTo(/^gl(Wait|Signal)Semaphore$/);

/** The one layout that is given by address: `&layout` of a constant. */
function toldTo(call: Call): { symbol: string; at: Event | Expr } | undefined {
  const written = call.api!.arg('layouts');
  const path = addressOf(written) ?? pathOf(written);
  if (!path) return undefined;
  const { values, unknown } = definitionsAt(call, path);
  const [only] = values;
  if (unknown || values.length !== 1 || !only || only.value === 'zero') return undefined;
  const value = only.value.kind === 'init' && only.value.entries.length === 1 ? only.value.entries[0]!.value : only.value;
  const symbol = symbolOf(value);
  return symbol && /^GL_LAYOUT_\w+_EXT$/.test(symbol) ? { symbol, at: only.at } : undefined;
}

/** Undefined when one of them is not known. */
function layoutsOf(barriers: readonly Handed[], name: string): { symbol: string; barrier: Handed }[] | undefined {
  const found = barriers.flatMap((barrier) => {
    const symbol = barrier.symbol(name);
    return symbol && /LAYOUT|^e[A-Z]/.test(symbol) ? [{ symbol, barrier }] : [];
  });
  return found.length === barriers.length ? found : undefined;
}

/** `GL_LAYOUT_SHADER_READ_ONLY_EXT` is `VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL` is `eShaderReadOnlyOptimal`. */
function isSame(gl: string, vulkan: string): boolean {
  const plain = (name: string) =>
    name
      .replace(/^(GL_LAYOUT|VK_IMAGE_LAYOUT|e)|_(EXT|OPTIMAL|KHR)\b|Optimal$/g, '')
      .replace(/_/g, '')
      .toLowerCase();
  return plain(gl) === plain(vulkan) || plain(vulkan) === 'undefined' || plain(gl) === 'none';
}
