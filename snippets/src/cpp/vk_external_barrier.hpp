#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

// snippet: begin seam-vk-external-barrier | Hand a shared image over to CUDA and take it back (queue family EXTERNAL)
// snippet: placeholders transfer_image
// To hand over: from = the queue's family, to = VK_QUEUE_FAMILY_EXTERNAL. To take back: reversed.
// The layout stays GENERAL: UNDEFINED on the way back would throw CUDA's pixels away.
inline void transfer_image(VkCommandBuffer commands, VkImage image, uint32_t from, uint32_t to) {
  const bool release = to == VK_QUEUE_FAMILY_EXTERNAL;
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  // The other side's accesses are ordered by the semaphore, so only this side's mask is set.
  barrier.srcAccessMask = release ? VK_ACCESS_MEMORY_WRITE_BIT : 0;
  barrier.dstAccessMask = release ? 0 : VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.srcQueueFamilyIndex = from;
  barrier.dstQueueFamilyIndex = to;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  // Acquire: the source stage joins the submit's wait stage, so the barrier runs after CUDA.
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
      VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}
// snippet: end
