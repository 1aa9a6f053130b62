/**
 * # memory/export-info-missing
 *
 * ## What it does
 * Reports memory, semaphores and fences from which the file requests a file descriptor or Win32 handle although they were created
 * without the export struct, and images and buffers bound to exportable memory but created without `VkExternalMemory...CreateInfo`.
 *
 * ## Why is this bad
 * Only what was created for export may be exported: the request fails, or the handle names something that the other API cannot use.
 * An image without its external create info may get a layout that only this process understands.
 *
 * ## Example
 * ```cpp
 * #include <vulkan/vulkan.h>
 * int share(VkDevice device, VkSemaphore* semaphore) {
 *     VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
 *     vkCreateSemaphore(device, &info, nullptr, semaphore);
 *     VkSemaphoreGetFdInfoKHR get{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};
 *     get.semaphore = *semaphore;
 *     get.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     int fd = -1;
 *     vkGetSemaphoreFdKHR(device, &get, &fd);
 *     return fd;
 * }
 * ```
 *
 * ## Use instead
 * ```cpp
 * #include <vulkan/vulkan.h>
 * int share(VkDevice device, VkSemaphore* semaphore) {
 *     VkExportSemaphoreCreateInfo exported{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO};
 *     exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &exported};
 *     vkCreateSemaphore(device, &info, nullptr, semaphore);
 *     VkSemaphoreGetFdInfoKHR get{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};
 *     get.semaphore = *semaphore;
 *     get.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
 *     int fd = -1;
 *     vkGetSemaphoreFdKHR(device, &get, &fd);
 *     return fd;
 * }
 * ```
 *
 * ## What it cannot see
 * Chains that other functions complete, and handles that reach the export through other functions than methods of one class.
 */
import { unexportable } from '../../analyses/unexportable';
import { cFamily, defineRule } from '../rule';

interface Data {
  readonly creator: string;
  readonly user: string;
  readonly missing: string;
}

export const rule = defineRule<Data>({
  meta: {
    id: 'memory/export-info-missing',
    summary: 'A handle is requested from an object that was created without its export struct.',
    severity: 'error',
    tier: 'B',
    precision: 'certain',
    fix: 'none',
    languages: cFamily,
    group: 'preview',
    since: '0.1.0',
  },

  message({ creator, user, missing }) {
    return `${creator} makes this object without ${missing}, but ${user} shares it: only what was created for export may be exported. Chain ${missing} with the handle type to the create info.`;
  },

  detect(file, report) {
    for (const { created, user, missing } of unexportable(file)) {
      const related = [{ at: user, message: `${user.name} shares it here` }];
      report({ at: created, data: { creator: created.name, user: user.name, missing }, related });
    }
  },
});
