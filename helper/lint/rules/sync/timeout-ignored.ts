/**
 * # sync/timeout-ignored
 *
 * ## What it does
 * Reports waits with a limit of time whose end is taken for success: the result is dropped, or tested in a way that a time-out passes
 * (`FAILED(hr)` after `AcquireSync`, `r < 0` after `vkWaitForFences`, `== GL_WAIT_FAILED` after `glClientWaitSync`).
 *
 * ## Why is this bad
 * These waits report that the time is up by a value of its own, and that value is no error: `WAIT_TIMEOUT` and `VK_TIMEOUT` are positive,
 * `EGL_TIMEOUT_EXPIRED` is not `EGL_FALSE`. When the other side is slower than the limit for once, the code goes on without the lock or the
 * fence and overwrites what is still being read.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * bool begin(VkDevice device, VkFence fence, VkCommandBuffer commands, const VkCommandBufferBeginInfo& info) {
 *     VkResult result = vkWaitForFences(device, 1, &fence, VK_TRUE, 4000000);
 *     if (result < 0) return false;
 *     return vkBeginCommandBuffer(commands, &info) == VK_SUCCESS;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * bool begin(VkDevice device, VkFence fence, VkCommandBuffer commands, const VkCommandBufferBeginInfo& info) {
 *     VkResult result = vkWaitForFences(device, 1, &fence, VK_TRUE, 4000000);
 *     if (result != VK_SUCCESS) return false;
 *     return vkBeginCommandBuffer(commands, &info) == VK_SUCCESS;
 * }
 * ```
 *
 * ## What it cannot see
 * Limits that other files set, results that go to a function which judges them, and waits whose result is dropped with a limit of a second
 * or more: such a limit is an alarm for hangs, and what comes behind it is lost anyhow.
 */
import { givenUpWaits } from '../../analyses/timed-waits';
import { cFamily, defineRule } from '../rule';

export const rule = defineRule<{ wait: string; told: string; how: 'ignored' | 'passes' }>({
  meta: {
    id: 'sync/timeout-ignored',
    summary: 'The end of a wait with a limit of time is taken for success.',
    severity: 'warning',
    tier: 'B',
    precision: 'certain',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ wait, told, how }) {
    const what = how === 'ignored' ? 'and nothing looks at the result' : 'and the test of the result lets that pass';
    return `${wait} returns ${told} when the time is up, ${what}: the code goes on although the other side is not done. Go on only when the wait succeeded.`;
  },

  detect(file, report) {
    for (const fn of file.subjects)
      for (const { wait, at, told, how } of givenUpWaits(file, fn)) {
        const related = at === wait ? [] : [{ at: wait, message: 'waits here, for a while only' }];
        report({ at, data: { wait: wait.api?.name ?? wait.name, told, how }, related });
      }
  },
});
