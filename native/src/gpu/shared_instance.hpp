#pragma once
// The engine's one Vulkan instance: the loader's function table is the process's.

#include <memory>

#include "drivers/vulkan.hpp"

namespace seamscope::gpu {

// Made by the first who asks, gone with the last who holds it. Thread-safe.
Result<std::shared_ptr<const VulkanInstance>> shared_instance();

}  // namespace seamscope::gpu
