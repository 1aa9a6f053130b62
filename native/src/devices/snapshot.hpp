#pragma once
// One answer to "what is here": environment, Vulkan, CUDA, NVML and the match.

#include "devices/environment.hpp"
#include "devices/types.hpp"

namespace seamscope {

// Loads the drivers and initialises CUDA, which enumerates once a process: meant for a short-lived one. Creates neither
// a CUDA context nor a Vulkan device. Without CUDA its driver is not touched.
DeviceSnapshot take_snapshot(const EnvironmentSource& source, bool with_cuda = true);

}  // namespace seamscope
