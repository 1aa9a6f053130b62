#pragma once
// Visits the MIG instances of a GPU. Handles are read anew each time: they die with their instance.

#include <functional>

#include "devices/nvml_problems.hpp"

namespace seamscope {

struct MigMode {
  bool supported = false, current = false, pending = false;
};

MigMode read_mig_mode(const nvml::Api& api, nvml::nvmlDevice_t gpu, NvmlProblems& problems);

// Calls `visit` for every slot in use; a slot that is a hole is passed over.
void for_each_instance(const nvml::Api& api, nvml::nvmlDevice_t gpu, NvmlProblems& problems,
                       const std::function<void(nvml::nvmlDevice_t mig, unsigned index)>& visit);

}  // namespace seamscope
