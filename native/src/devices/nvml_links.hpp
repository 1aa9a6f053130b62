#pragma once
// How the physical GPUs reach each other: PCIe topology, NVLinks, NVML's word on peer access. No context is needed.

#include "devices/types.hpp"
#include "drivers/nvml.hpp"

namespace seamscope {

// Every pair of the GPUs; a pair of which NVML knows nothing stays "unknown". What it refuses is added to the problems
// of the GPUs.
std::vector<GpuLink> read_links(const nvml::Api& api, std::vector<NvmlGpu>& gpus);

}  // namespace seamscope
