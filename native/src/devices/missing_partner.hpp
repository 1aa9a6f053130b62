#pragma once
// The rules that name why a device has no CUDA or no Vulkan partner, most certain cause first.

#include <vector>

#include "devices/types.hpp"

namespace seamscope {

// One side of a row that is to be explained; null where it does not exist.
struct MatchSubject {
  std::optional<Uuid> uuid;
  std::string pci;
  const NvmlGpu* gpu = nullptr;
  const MigInstance* instance = nullptr;
};

// For CUDA devices and physical NVIDIA devices.
Reason why_no_vulkan_partner(const DeviceSnapshot& facts, const MatchSubject& subject);

// For Vulkan devices of NVIDIA's own driver and physical NVIDIA devices.
Reason why_no_cuda_partner(const DeviceSnapshot& facts, const MatchSubject& subject);

}  // namespace seamscope
