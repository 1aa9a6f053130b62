#pragma once

#include <vulkan/vulkan.h>

#include <stdexcept>

#include "check_vulkan.hpp"
#include "unique_fd.hpp"

// snippet: begin seam-vk-export-fd | Export Vulkan memory as an opaque fd that the caller owns
// snippet: placeholders export_memory_fd
// Every call makes a new kernel descriptor: export once per allocation, not once per frame.
// The caller owns the result until an import consumes it.
inline UniqueFd export_memory_fd(VkDevice device, VkDeviceMemory memory) {
  const auto get_memory_fd =
      reinterpret_cast<PFN_vkGetMemoryFdKHR>(vkGetDeviceProcAddr(device, "vkGetMemoryFdKHR"));
  if (!get_memory_fd) throw std::runtime_error("enable VK_KHR_external_memory_fd on the device");

  VkMemoryGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
  info.memory = memory;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  check(get_memory_fd(device, &info, &fd), "vkGetMemoryFdKHR");
  return UniqueFd(fd);
}
// snippet: end
