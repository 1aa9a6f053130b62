#pragma once
#include <cstdint>
#include <string>

namespace seamscope {

// VkDriverId as the specification spells it, without its prefix: 4 is "NVIDIA_PROPRIETARY". Unknown numbers come back
// as digits.
std::string vulkan_driver_id_name(uint32_t id);

}  // namespace seamscope
