#include "drivers/vulkan.hpp"

namespace seamscope {
namespace {

struct ResultName {
  VkResult result;
  const char* name;
};

#define NAMED(code) \
  ResultName {      \
    code, #code     \
  }
constexpr ResultName kNames[] = {
    NAMED(VK_SUCCESS),
    NAMED(VK_NOT_READY),
    NAMED(VK_TIMEOUT),
    NAMED(VK_INCOMPLETE),
    NAMED(VK_ERROR_OUT_OF_HOST_MEMORY),
    NAMED(VK_ERROR_OUT_OF_DEVICE_MEMORY),
    NAMED(VK_ERROR_INITIALIZATION_FAILED),
    NAMED(VK_ERROR_DEVICE_LOST),
    NAMED(VK_ERROR_MEMORY_MAP_FAILED),
    NAMED(VK_ERROR_LAYER_NOT_PRESENT),
    NAMED(VK_ERROR_EXTENSION_NOT_PRESENT),
    NAMED(VK_ERROR_FEATURE_NOT_PRESENT),
    NAMED(VK_ERROR_INCOMPATIBLE_DRIVER),
    NAMED(VK_ERROR_TOO_MANY_OBJECTS),
    NAMED(VK_ERROR_FORMAT_NOT_SUPPORTED),
    NAMED(VK_ERROR_FRAGMENTED_POOL),
    NAMED(VK_ERROR_OUT_OF_POOL_MEMORY),
    NAMED(VK_ERROR_INVALID_EXTERNAL_HANDLE),
    NAMED(VK_ERROR_UNKNOWN),
};
#undef NAMED

}  // namespace

std::string vk_result_text(VkResult result) {
  const char* name = "VkResult";
  for (const auto& entry : kNames)
    if (entry.result == result) name = entry.name;
  return std::string(name) + " (" + std::to_string(static_cast<int>(result)) + ")";
}

}  // namespace seamscope
