#pragma once
// The values of one GPU that change: memory, use, heat, power, clocks and what holds them down.

#include "devices/nvml_problems.hpp"
#include "devices/readings.hpp"

namespace seamscope {

// `mig`: the GPU is split, so NVML has no use for the whole of it.
void read_values(const nvml::Api& api, nvml::nvmlDevice_t gpu, bool mig, GpuReading& reading, NvmlProblems& problems);

// Each clock on its own: a GPU may lack some.
using ClockCall = decltype(nvml::Api::clock);
GpuClocks read_clocks(const ClockCall& call, nvml::nvmlDevice_t gpu, NvmlProblems& problems);

}  // namespace seamscope
