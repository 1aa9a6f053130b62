#include "devices/vulkan_driver_id.hpp"

namespace seamscope {

std::string vulkan_driver_id_name(uint32_t id) {
  // Position = number. Held as text because newer drivers have ids that older headers lack.
  constexpr const char* kNames[] = {
      "",
      "AMD_PROPRIETARY",
      "AMD_OPEN_SOURCE",
      "MESA_RADV",
      "NVIDIA_PROPRIETARY",
      "INTEL_PROPRIETARY_WINDOWS",
      "INTEL_OPEN_SOURCE_MESA",
      "IMAGINATION_PROPRIETARY",
      "QUALCOMM_PROPRIETARY",
      "ARM_PROPRIETARY",
      "GOOGLE_SWIFTSHADER",
      "GGP_PROPRIETARY",
      "BROADCOM_PROPRIETARY",
      "MESA_LLVMPIPE",
      "MOLTENVK",
      "COREAVI_PROPRIETARY",
      "JUICE_PROPRIETARY",
      "VERISILICON_PROPRIETARY",
      "MESA_TURNIP",
      "MESA_V3DV",
      "MESA_PANVK",
      "SAMSUNG_PROPRIETARY",
      "MESA_VENUS",
      "MESA_DOZEN",
      "MESA_NVK",
      "IMAGINATION_OPEN_SOURCE_MESA",
      "MESA_HONEYKRISP",
  };
  constexpr uint32_t count = sizeof(kNames) / sizeof(kNames[0]);
  return id > 0 && id < count ? kNames[id] : std::to_string(id);
}

}  // namespace seamscope
