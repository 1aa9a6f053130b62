#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

#include "check_vulkan.hpp"
#include "vk_memory_type.hpp"

// snippet: begin seam-vk-export-buffer | Vulkan buffer in memory of its own that can be exported as an opaque fd
// snippet: placeholders ExportableBuffer
class ExportableBuffer {
 public:
  // Delegates first, so that the destructor runs even if a later step throws.
  ExportableBuffer(VkPhysicalDevice gpu, VkDevice device, VkDeviceSize bytes, VkFlags usage)
      : ExportableBuffer(device) {
    constexpr auto opaque_fd = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkExternalMemoryBufferCreateInfo external{
        VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr, opaque_fd};
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &external, 0, bytes, usage,
        VK_SHARING_MODE_EXCLUSIVE, 0, nullptr};
    check(vkCreateBuffer(device_, &info, nullptr, &buffer), "vkCreateBuffer");

    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device_, buffer, &needs);
    VkExportMemoryAllocateInfo exported{
        VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, nullptr, opaque_fd};
    size = needs.size;  // what the importer must be told: not width x height x 4
    memory_type = find_memory_type(gpu, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VkMemoryAllocateInfo allocation{
        VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported, size, memory_type};
    check(vkAllocateMemory(device_, &allocation, nullptr, &memory), "vkAllocateMemory");
    check(vkBindBufferMemory(device_, buffer, memory, 0), "vkBindBufferMemory");
  }
  ExportableBuffer(const ExportableBuffer&) = delete;
  ExportableBuffer& operator=(const ExportableBuffer&) = delete;
  ~ExportableBuffer() {
    vkDestroyBuffer(device_, buffer, nullptr);  // before its memory: a bound buffer refers to it
    vkFreeMemory(device_, memory, nullptr);
  }

  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
  uint32_t memory_type = 0;

 private:
  explicit ExportableBuffer(VkDevice device) : device_(device) {}
  VkDevice device_;
};
// snippet: end
