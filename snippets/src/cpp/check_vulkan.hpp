#pragma once

#include <vulkan/vulkan.h>

#include <stdexcept>
#include <string>

// snippet: begin seam-check-vk | Throw on any VkResult but VK_SUCCESS
// A time-out or an incomplete result is positive in Vulkan, yet no success for the caller.
inline void check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  throw std::runtime_error(std::string(what) + " failed: VkResult " + std::to_string(result));
}
// snippet: end
