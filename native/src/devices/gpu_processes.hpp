#pragma once
// Who is on a GPU: every process that holds it for compute, graphics or through MPS, with its MIG instance.

#include <vector>

#include "devices/nvml_problems.hpp"
#include "devices/readings.hpp"

namespace seamscope {

// A handle of a MIG instance with its ids, for users who may not ask the whole GPU.
struct MigHandle {
  nvml::nvmlDevice_t handle = nullptr;
  unsigned gpu_instance_id = 0, compute_instance_id = 0;
};

// One entry a process, in order of pid. In MIG mode the whole GPU is asked first, then, without the privilege for it,
// each instance.
std::vector<GpuProcess> read_processes(const nvml::Api& api, nvml::nvmlDevice_t gpu,
                                       const std::vector<MigHandle>& instances, NvmlProblems& problems);

}  // namespace seamscope
