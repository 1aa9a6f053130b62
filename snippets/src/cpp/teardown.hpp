#pragma once

#include <cuda.h>
#include <vulkan/vulkan.h>

#include <utility>

// snippet: begin seam-teardown | Idempotent teardown of a shared image across CUDA and Vulkan, with the reason for each place
// snippet: placeholders SharedImageSeam
struct SharedImageSeam {
  VkDevice device = VK_NULL_HANDLE;
  VkDescriptorPool descriptors = VK_NULL_HANDLE;
  VkCommandPool commands = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkSemaphore timeline = VK_NULL_HANDLE;
  CUstream stream = nullptr;
  CUsurfObject surface = 0;
  CUmipmappedArray levels = nullptr;
  CUexternalMemory imported = nullptr;
  CUexternalSemaphore imported_timeline = nullptr;

  // Unconditional: null handles are skipped, whatever had been built. A second call does nothing.
  void destroy() noexcept {
    if (stream) cuStreamSynchronize(stream);  // first: CUDA may still write the image
    if (device) vkDeviceWaitIdle(device);  // and Vulkan may still read it
    // Consumers before producers: CUDA's objects live in memory that Vulkan owns.
    if (surface) cuSurfObjectDestroy(std::exchange(surface, 0));  // refers to the array below
    if (levels) cuMipmappedArrayDestroy(std::exchange(levels, nullptr));  // part of the import
    if (imported) cuDestroyExternalMemory(std::exchange(imported, nullptr));
    if (imported_timeline) cuDestroyExternalSemaphore(std::exchange(imported_timeline, nullptr));
    if (stream) cuStreamDestroy(std::exchange(stream, nullptr));  // after all that was queued on it
    if (!device) return;
    vkDestroyCommandPool(device, std::exchange(commands, {}), nullptr);  // its buffers use the sets
    vkDestroyDescriptorPool(device, std::exchange(descriptors, {}), nullptr);  // sets name the view
    vkDestroyImageView(device, std::exchange(view, {}), nullptr);  // refers to the image
    vkDestroyImage(device, std::exchange(image, {}), nullptr);  // bound to the memory
    vkFreeMemory(device, std::exchange(memory, {}), nullptr);  // no import, no image left
    vkDestroySemaphore(device, std::exchange(timeline, {}), nullptr);  // nobody waits any more
    vkDestroyDevice(std::exchange(device, {}), nullptr);  // last: every Vulkan object is its child
  }
  ~SharedImageSeam() { destroy(); }
};
// snippet: end
