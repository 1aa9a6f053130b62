#pragma once
#include "devices/json_tools.hpp"
#include "devices/types.hpp"

namespace seamscope {

// DeviceSnapshot['nvml'].
Json json_of(const NvmlFacts& nvml);
Json json_of(const GpuLink& link);
Json json_of(const NvmlGpu& gpu);
Json json_of(const MigInstance& instance);
Json json_of(const MigProfile& profile);

}  // namespace seamscope
