#include "gpu/vulkan_error.hpp"

namespace seamscope::gpu {
namespace {

const char* next_step(VkResult result) {
  switch (result) {
    case VK_ERROR_DEVICE_LOST:
      return "Restart the engine; if it happens again look for Xid messages of the driver in the kernel log (dmesg).";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "Free GPU memory (nvidia-smi lists who holds it) or choose another device.";
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "Free memory of this machine and try again.";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "Close previews that are not needed and try again.";
    default:
      return "Run `seamscope doctor` and check the driver's version.";
  }
}

}  // namespace

Error vulkan_error(const char* call, VkResult result) {
  const std::string text = vk_result_text(result);
  return Error{std::string(call) + " failed: " + text + ".", next_step(result), text};
}

}  // namespace seamscope::gpu
