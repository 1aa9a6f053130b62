#pragma once
// The MIG side of one GPU: mode, instances and whether each can draw.

#include "devices/nvml_problems.hpp"
#include "devices/types.hpp"
#include "drivers/nvml.hpp"

namespace seamscope {

void read_mig(const nvml::Api& api, nvml::nvmlDevice_t handle, NvmlGpu& gpu, NvmlProblems& problems);

}  // namespace seamscope
