#pragma once
#include <string>

namespace seamscope {

// CUDA, NVML and Vulkan print PCI addresses in different widths and cases; all become "0000:3b:00.0".
std::string normal_pci(const std::string& text);

}  // namespace seamscope
