#pragma once
// The Vulkan devices of this process and what each can share. Creates an instance, never a device.

#include <vector>

#include "devices/types.hpp"

namespace seamscope {

struct VulkanInventory {
  VulkanFacts facts;
  LibraryReport library;
};

// Two environment facts decide which reason fits when there is no device: the manifests found and the loader's words.
VulkanInventory read_vulkan(const EnvironmentFacts& environment);

}  // namespace seamscope
