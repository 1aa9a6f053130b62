#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

#include "check_vulkan.hpp"
#include "unique_fd.hpp"

// snippet: begin seam-vk-import-memory | Import an opaque fd into Vulkan with one transfer point
// snippet: placeholders import_memory
// Opaque fds need the exporter's own size and memory type, on the same device and driver UUID.
inline VkDeviceMemory import_memory(
    VkDevice device, UniqueFd fd, VkDeviceSize size, uint32_t memory_type) {
  VkImportMemoryFdInfoKHR import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;
  import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  import.fd = fd.get();
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.pNext = &import;
  allocation.allocationSize = size;
  allocation.memoryTypeIndex = memory_type;

  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(vkAllocateMemory(device, &allocation, nullptr, &memory), "vkAllocateMemory (import)");
  // The transfer point: Vulkan owns the fd now. On failure above, UniqueFd still owned and closed
  // it.
  fd.release();
  return memory;
}
// snippet: end
