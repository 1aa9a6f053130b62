#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <stdexcept>

// snippet: begin seam-vk-memory-type | Choose a memory type that the resource allows and that has the wanted properties
inline uint32_t find_memory_type(
    VkPhysicalDevice physical_device, uint32_t type_bits, VkMemoryPropertyFlags wanted) {
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(physical_device, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const bool allowed = (type_bits & (1u << i)) != 0;
    if (allowed && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  }
  throw std::runtime_error("no memory type of this resource has the wanted properties");
}
// snippet: end
