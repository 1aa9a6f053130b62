#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

#include "check_vulkan.hpp"

// snippet: begin seam-vk-timeline-submit | Submit Vulkan work that waits for CUDA's value and signals its own
// snippet: placeholders submit_frame
// Waits until CUDA has written value `ready`, then signals `released` when the slot is free again.
// The values are copied at submit: later changes of the counters do not reach queued work.
inline void submit_frame(VkQueue queue, VkCommandBuffer commands, VkSemaphore cuda_ready,
    uint64_t ready, VkSemaphore vulkan_released, uint64_t released) {
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &ready;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &released;

  // The stages that read the shared memory; work before them overlaps with CUDA.
  const VkPipelineStageFlags wait_stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.pNext = &values;
  submit.waitSemaphoreCount = 1;
  submit.pWaitSemaphores = &cuda_ready;
  submit.pWaitDstStageMask = &wait_stage;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  submit.signalSemaphoreCount = 1;
  submit.pSignalSemaphores = &vulkan_released;
  check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
}
// snippet: end
