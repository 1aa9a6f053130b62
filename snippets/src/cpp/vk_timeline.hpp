#pragma once

#include <vulkan/vulkan.h>

#include <stdexcept>

#include "check_vulkan.hpp"
#include "unique_fd.hpp"

// snippet: begin seam-vk-timeline | Exportable Vulkan timeline semaphore and its fd
// snippet: placeholders ExportableTimeline
class ExportableTimeline {
 public:
  explicit ExportableTimeline(VkDevice device) : device_(device) {
    VkExportSemaphoreCreateInfo exported{};
    exported.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
    exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.pNext = &exported;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    type.initialValue = 0;  // frames count from 1, so waiting for "no frame yet" returns at once
    VkSemaphoreCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    info.pNext = &type;
    check(vkCreateSemaphore(device_, &info, nullptr, &semaphore), "vkCreateSemaphore");
  }
  ExportableTimeline(const ExportableTimeline&) = delete;
  ExportableTimeline& operator=(const ExportableTimeline&) = delete;
  // No queued submit, Vulkan's or CUDA's, may still wait for it or signal it.
  ~ExportableTimeline() { vkDestroySemaphore(device_, semaphore, nullptr); }

  VkSemaphore semaphore = VK_NULL_HANDLE;

 private:
  VkDevice device_;
};
// snippet: end

// snippet: begin seam-vk-semaphore-fd | Export a Vulkan semaphore, timeline or binary, as an opaque fd
// snippet: placeholders export_semaphore_fd
inline UniqueFd export_semaphore_fd(VkDevice device, VkSemaphore semaphore) {
  const auto get_semaphore_fd =
      reinterpret_cast<PFN_vkGetSemaphoreFdKHR>(vkGetDeviceProcAddr(device, "vkGetSemaphoreFdKHR"));
  if (!get_semaphore_fd) throw std::runtime_error("enable VK_KHR_external_semaphore_fd");

  VkSemaphoreGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
  info.semaphore = semaphore;
  info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  check(get_semaphore_fd(device, &info, &fd), "vkGetSemaphoreFdKHR");
  return UniqueFd(fd);  // owned by the caller until an import consumes it
}
// snippet: end
