#pragma once
// Stands in for the hardware's enumeration: which whole GPUs and MIG instances a process sees through CUDA, and in
// which order.

#include <vector>

#include "machine.hpp"

namespace doubles {

struct Unit {
  const Gpu* gpu;
  const Instance* instance;  // null for a whole GPU
};

// After CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER.
std::vector<Unit> visible_units();

}  // namespace doubles
