#pragma once
// What one Vulkan physical device can share with others, per handle type.

#include <volk.h>

#include <string>
#include <vector>

#include "devices/types.hpp"

namespace seamscope {

class ExtensionSet {
 public:
  explicit ExtensionSet(VkPhysicalDevice device);
  bool has(const char* name) const;

 private:
  std::vector<VkExtensionProperties> extensions_;
};

std::vector<ExternalHandle> external_semaphores_of(VkPhysicalDevice device, const ExtensionSet& extensions,
                                                   VkSemaphoreType type);

bool has_timeline_semaphores(VkPhysicalDevice device, const ExtensionSet& extensions, uint32_t api_version);

}  // namespace seamscope
