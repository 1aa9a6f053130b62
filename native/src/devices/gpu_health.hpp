#pragma once
// What a whole snapshot tells of a GPU's health beside its changing values: limits, ECC, fan.

#include "devices/nvml_problems.hpp"
#include "devices/types.hpp"

namespace seamscope {

GpuHealth read_health(const nvml::Api& api, nvml::nvmlDevice_t gpu, const GpuReading& now, NvmlProblems& problems);

}  // namespace seamscope
