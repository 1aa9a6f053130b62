#pragma once
// Which memory one Vulkan physical device can share: per handle type, and per buffer usage and image format. A handle
// type counts only when its device extension is there too.

#include "devices/vulkan_capabilities.hpp"

namespace seamscope {

// Buffers for storage and transfer: the summary.
std::vector<ExternalHandle> external_memory_of(VkPhysicalDevice device, const ExtensionSet& extensions);

// Only what can be exported or imported is listed.
std::vector<ExternalBuffer> external_buffers_of(VkPhysicalDevice device, const ExtensionSet& extensions);
std::vector<ExternalImage> external_images_of(VkPhysicalDevice device, const ExtensionSet& extensions);

}  // namespace seamscope
