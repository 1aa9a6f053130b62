#pragma once
// Which CUDA ordinal is which Vulkan device and which physical GPU or MIG instance: by UUID bytes, and by nothing else.

#include <vector>

#include "devices/types.hpp"

namespace seamscope {

// A pure function of the four sources (`facts.matches` is not read). CUDA ordinals come first, then Vulkan devices,
// then physical ones that neither lists. Every missing partner has a reason.
std::vector<DeviceMatch> match_devices(const DeviceSnapshot& facts);

}  // namespace seamscope
