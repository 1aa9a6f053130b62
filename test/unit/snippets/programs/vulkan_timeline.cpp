// Runs the timeline snippets with Vulkan on both sides: values both ways, the double buffer, and the order that they
// keep. Where the driver can export semaphores, the fd too.

#include <cstdint>

#include "double_buffer.hpp"
#include "expect.hpp"
#include "vk_timeline.hpp"
#include "vk_timeline_submit.hpp"
#include "vulkan.hpp"

namespace {

VkSemaphore create_timeline(VkDevice device) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  check(vkCreateSemaphore(device, &info, nullptr, &semaphore), "vkCreateSemaphore");
  return semaphore;
}

uint64_t value_of(VkDevice device, VkSemaphore semaphore) {
  uint64_t value = 0;
  check(vkGetSemaphoreCounterValue(device, semaphore, &value), "vkGetSemaphoreCounterValue");
  return value;
}

void signal_from_host(VkDevice device, VkSemaphore semaphore, uint64_t value) {
  VkSemaphoreSignalInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  info.semaphore = semaphore;
  info.value = value;
  check(vkSignalSemaphore(device, &info), "vkSignalSemaphore");
}

void wait_on_host(VkDevice device, VkSemaphore semaphore, uint64_t value) {
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  check(vkWaitSemaphores(device, &info, 5'000'000'000), "vkWaitSemaphores");
}

// The host plays CUDA: it signals `ready`, and the submit of the snippet answers with `released`.
void reader_releases_each_frame_after_it_is_ready(const Vulkan& vk) {
  const VkSemaphore ready = create_timeline(vk.device);
  const VkSemaphore released = create_timeline(vk.device);
  const VkCommandBuffer nothing = vk.record([](VkCommandBuffer) {});
  DoubleBuffer buffer;
  for (int frame = 0; frame < 6; ++frame) {
    const DoubleBuffer::Slot slot = buffer.next_write();
    if (slot.ready_value > 2) wait_on_host(vk.device, released, 10 * (slot.ready_value - 2));
    signal_from_host(vk.device, ready, slot.ready_value);
    buffer.publish();
    const DoubleBuffer::Slot latest = buffer.latest();
    EXPECT(latest.index == slot.index && latest.ready_value == slot.ready_value);
    const uint64_t release = 10 * latest.ready_value;  // another scale, so that mixed-up values show
    submit_frame(vk.queue, nothing, ready, latest.ready_value, released, release);
    wait_on_host(vk.device, released, release);
    EXPECT(value_of(vk.device, released) == release && value_of(vk.device, ready) == slot.ready_value);
    check(vkDeviceWaitIdle(vk.device), "vkDeviceWaitIdle");
  }
  vkDestroySemaphore(vk.device, ready, nullptr);
  vkDestroySemaphore(vk.device, released, nullptr);
}

void exported_timeline_has_an_fd(const Vulkan& vk) {
  const ExportableTimeline timeline(vk.device);
  EXPECT(export_semaphore_fd(vk.device, timeline.semaphore).get() >= 0);
  EXPECT(value_of(vk.device, timeline.semaphore) == 0);
}

}  // namespace

int main() {
  const Vulkan plain({});
  if (!plain.device) return skipped("no Vulkan device");
  reader_releases_each_frame_after_it_is_ready(plain);
  const Vulkan exporting({VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME});
  if (!exporting.device) {
    std::puts("not run: the fd of a semaphore, since this driver exports none");
    EXPECT(throws<std::runtime_error>([&] { export_semaphore_fd(plain.device, VK_NULL_HANDLE); }));
    return 0;
  }
  exported_timeline_has_an_fd(exporting);
  return 0;
}
