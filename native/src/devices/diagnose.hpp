#pragma once
// Sharpens the reasons for a whole source's absence with what the other sources know: CUDA's "no device" becomes the
// variable that hid it, Vulkan's "no driver" the container that left it out.

#include <optional>

#include "devices/types.hpp"

namespace seamscope {

void sharpen_reasons(DeviceSnapshot& snapshot);

// Set when this is a container that was started without the graphics libraries.
std::optional<Reason> container_without_graphics(const EnvironmentFacts& environment);

// The loader variable that limits drivers (not single devices), if one is set.
std::optional<Reason> driver_filter(const EnvironmentFacts& environment);

}  // namespace seamscope
