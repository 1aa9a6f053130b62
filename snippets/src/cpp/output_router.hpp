#pragma once

#include <cuda.h>
#include <dlpack/dlpack.h>
#include <vulkan/vulkan.h>

#include <map>

#include "cu_device_uuid.hpp"
#include "vk_match_uuid.hpp"

// snippet: begin seam-route-outputs | Multi-GPU: the Vulkan device of each mapped output, matched once per CUDA ordinal
// snippet: placeholders OutputRouter
class OutputRouter {
 public:
  explicit OutputRouter(VkInstance instance) : instance_(instance) {}

  // The tensor's own ordinal decides, not the current context and not the order of enumeration.
  VkPhysicalDevice device_of(const DLTensor& output) {
    const int ordinal = output.device.device_id;
    const auto known = matched_.find(ordinal);
    if (known != matched_.end()) return known->second;
    const VkPhysicalDevice device = find_vulkan_device(instance_, cuda_device_uuid(ordinal));
    matched_.emplace(ordinal, device);
    return device;
  }

 private:
  VkInstance instance_;
  std::map<int, VkPhysicalDevice> matched_;  // ordinals do not change within a process
};
// snippet: end
