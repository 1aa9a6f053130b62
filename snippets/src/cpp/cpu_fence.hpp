#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

#include "check_vulkan.hpp"

// snippet: begin seam-cpu-fence | CPU fence between Vulkan and the consumer, where no semaphore can be shared
// snippet: placeholders wait_for_frame
// Serialises both sides: nothing overlaps while the host waits. Prefer an imported timeline.
inline void wait_for_frame(VkDevice device, VkFence fence) {
  constexpr uint64_t timeout_ns = 2'000'000'000;  // a hung GPU must not hang the program for ever
  check(vkWaitForFences(device, 1, &fence, VK_TRUE, timeout_ns), "vkWaitForFences");
  check(vkResetFences(device, 1, &fence), "vkResetFences");
}
// snippet: end
