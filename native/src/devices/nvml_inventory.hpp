#pragma once
// Everything that NVML tells of one physical GPU and its MIG instances.

#include "devices/gpm_sampler.hpp"
#include "devices/types.hpp"
#include "drivers/nvml.hpp"

namespace seamscope {

NvmlGpu describe_gpu(const nvml::Api& api, unsigned index, GpmSampler& sampler);

}  // namespace seamscope
