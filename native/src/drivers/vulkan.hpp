#pragma once
// The Vulkan loader, opened at run time. After load_vulkan() the global entry points of volk work; a VulkanInstance
// fills the instance-level ones. volk's pointers are process-wide, so a process keeps one instance at a time.

#include <volk.h>

#include <string>
#include <vector>

#include "base/dynamic_library.hpp"
#include "base/result.hpp"

namespace seamscope {

// Opens libvulkan.so.1 once a process; later calls are free. A failure is tried again by the next call.
Result<void> load_vulkan();

// The library behind load_vulkan(), or nullptr before it succeeded.
const DynamicLibrary* vulkan_library();

// "VK_ERROR_INCOMPATIBLE_DRIVER (-9)"
std::string vk_result_text(VkResult result);

// What the loader said while an instance was created: warnings and errors in its own words.
struct VulkanLoaderLog {
  VkResult result = VK_SUCCESS;
  std::vector<std::string> messages;
};

struct VulkanInstanceOptions {
  std::vector<const char*> extensions;  // must be offered by the loader; VK_EXT_debug_utils is added for `log`
  std::vector<const char*> layers;
  VulkanLoaderLog* log = nullptr;  // filled during create() only
};

// Owns a VkInstance of API version 1.3 (an upper bound: devices of 1.1 and newer are listed).
class VulkanInstance {
 public:
  VulkanInstance() = default;
  VulkanInstance(VulkanInstance&& other) noexcept : instance_(std::exchange(other.instance_, VK_NULL_HANDLE)) {}
  VulkanInstance& operator=(VulkanInstance&& other) noexcept {
    std::swap(instance_, other.instance_);
    return *this;
  }
  VulkanInstance(const VulkanInstance&) = delete;
  VulkanInstance& operator=(const VulkanInstance&) = delete;
  ~VulkanInstance();

  // Calls load_vulkan() itself.
  static Result<VulkanInstance> create(const VulkanInstanceOptions& options = {});

  VkInstance get() const { return instance_; }
  Result<std::vector<VkPhysicalDevice>> physical_devices() const;

 private:
  VkInstance instance_ = VK_NULL_HANDLE;
};

// The loader's own version as VK_MAKE_API_VERSION packs it. Needs load_vulkan().
uint32_t vulkan_instance_version();

}  // namespace seamscope
