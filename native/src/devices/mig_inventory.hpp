#pragma once
#include "devices/gpm_sampler.hpp"
#include "devices/gpu_processes.hpp"
#include "devices/nvml_problems.hpp"
#include "devices/types.hpp"

namespace seamscope {

// Fills the MIG mode and, where it is on, the profiles and instances of `gpu`, whose UUID is known already. `handles`
// lets the caller ask the same instances once more.
void read_mig(const nvml::Api& api, nvml::nvmlDevice_t handle, GpmSampler& sampler, NvmlGpu& gpu,
              std::vector<MigHandle>& handles, NvmlProblems& problems);

}  // namespace seamscope
