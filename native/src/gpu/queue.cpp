#include "gpu/queue.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/vulkan_error.hpp"

namespace seamscope::gpu {

Result<std::unique_ptr<Queue>> Queue::create(Device& device, uint32_t family) {
  std::unique_ptr<Queue> queue(new Queue(device, family));
  device.vk().vkGetDeviceQueue(device.handle(), family, 0, &queue->queue_);
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  const VkResult result = device.vk().vkCreateSemaphore(device.handle(), &info, nullptr, &queue->timeline_);
  if (result != VK_SUCCESS) return vulkan_error("vkCreateSemaphore", result);
  return queue;
}

// The last submit is awaited, not the device: vkDeviceWaitIdle has no time-out.
Queue::~Queue() {
  if (!timeline_) return;
  if (const auto reached = wait(last_); reached && !device_.given_up())
    device_.vk().vkDestroySemaphore(device_.handle(), timeline_, nullptr);
}

Result<Ticket> Queue::submit(VkCommandBuffer commands, std::span<const Ticket> after) {
  std::vector<VkSemaphore> semaphores;
  std::vector<uint64_t> values;
  for (const Ticket& ticket : after) {
    if (!ticket.queue || ticket.queue == this) continue;
    semaphores.push_back(ticket.queue->timeline());
    values.push_back(ticket.value);
  }
  const std::vector<VkPipelineStageFlags> stages(values.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  const std::lock_guard lock(mutex_);
  const uint64_t next = last_ + 1;
  VkTimelineSemaphoreSubmitInfo timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  timeline.waitSemaphoreValueCount = static_cast<uint32_t>(values.size());
  timeline.pWaitSemaphoreValues = values.data();
  timeline.signalSemaphoreValueCount = 1;
  timeline.pSignalSemaphoreValues = &next;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &timeline;
  info.waitSemaphoreCount = static_cast<uint32_t>(semaphores.size());
  info.pWaitSemaphores = semaphores.data();
  info.pWaitDstStageMask = stages.data();
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline_;
  const VkResult result = device_.vk().vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE);
  if (result == VK_ERROR_DEVICE_LOST) device_.give_up();
  if (result != VK_SUCCESS) return vulkan_error("vkQueueSubmit", result);
  last_ = next;
  return Ticket{this, next};
}

Result<void> Queue::wait(uint64_t value, std::chrono::nanoseconds timeout) {
  if (device_.given_up()) return vulkan_error("vkWaitSemaphores", VK_ERROR_DEVICE_LOST);
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline_;
  info.pValues = &value;
  const auto result = device_.vk().vkWaitSemaphores(device_.handle(), &info, static_cast<uint64_t>(timeout.count()));
  if (result == VK_SUCCESS) return {};
  device_.give_up();
  if (result != VK_TIMEOUT) return vulkan_error("vkWaitSemaphores", result);
  char limit[32];
  std::snprintf(limit, sizeof limit, "%g s", std::chrono::duration<double>(timeout).count());
  return Error{std::string("The GPU did not finish within ") + limit + ".",
               "Restart the engine; another program may keep the GPU busy (nvidia-smi shows its use).", "VK_TIMEOUT"};
}

Result<void> wait_for(Ticket ticket, std::chrono::nanoseconds timeout) {
  if (!ticket.queue) return {};
  return ticket.queue->wait(ticket.value, timeout);
}

}  // namespace seamscope::gpu
