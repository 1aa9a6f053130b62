#pragma once
// JSON exactly of the types in helper/protocol/devices.ts.

#include <string>

#include "devices/types.hpp"

namespace seamscope {

// DeviceSnapshot
std::string to_json_text(const DeviceSnapshot& snapshot);

// DeviceSnapshot['nvml']
std::string to_json_text(const NvmlFacts& nvml);

}  // namespace seamscope
