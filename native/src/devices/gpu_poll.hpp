#pragma once
// One cheap reading of one GPU: the values that change, and nothing else.

#include "devices/gpm_sampler.hpp"
#include "devices/readings.hpp"
#include "drivers/nvml.hpp"

namespace seamscope {

GpuReading poll_gpu(const nvml::Api& api, unsigned index, GpmSampler& sampler);

// A text that differs whenever another set of GPUs and instances is there.
std::string generation_of(const std::vector<GpuReading>& gpus);

}  // namespace seamscope
