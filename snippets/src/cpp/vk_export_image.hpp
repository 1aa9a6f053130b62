#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

#include "check_vulkan.hpp"
#include "vk_memory_type.hpp"

// snippet: begin seam-vk-export-image | Dedicated, exportable memory for a shared Vulkan image, and the two structs it chains
// snippet: placeholders allocate_exportable
// The image must be created with VkExternalMemoryImageCreateInfo for the same handle type.
// Returns the memory, bound. `size` is the allocation's true size: what the importer must be told.
inline VkDeviceMemory allocate_exportable(
    VkPhysicalDevice gpu, VkDevice device, VkImage image, VkDeviceSize& size) {
  VkMemoryRequirements needs{};
  vkGetImageMemoryRequirements(device, image, &needs);
  size = needs.size;

  VkMemoryDedicatedAllocateInfo dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  dedicated.image = image;  // drivers may require it for shared images; CUDA then gets its flag too
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.pNext = &dedicated;
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.pNext = &exported;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex =
      find_memory_type(gpu, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);

  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(vkAllocateMemory(device, &allocation, nullptr, &memory), "vkAllocateMemory");
  const VkResult bound = vkBindImageMemory(device, image, memory, 0);
  if (bound != VK_SUCCESS) vkFreeMemory(device, memory, nullptr);  // nobody else knows it yet
  check(bound, "vkBindImageMemory");
  return memory;
}
// snippet: end
