#pragma once
// Turns a VkResult into an Error that names the call, the result and what to do.

#include "drivers/vulkan.hpp"

namespace seamscope::gpu {

// `call` is the entry point, for example "vkAllocateMemory".
Error vulkan_error(const char* call, VkResult result);

inline Result<void> check(const char* call, VkResult result) {
  if (result < 0) return vulkan_error(call, result);
  return {};
}

}  // namespace seamscope::gpu
