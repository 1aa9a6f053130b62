#pragma once
// The Vulkan driver manifests that the loader would read, in its order, and what is wrong with each.

#include <string>
#include <vector>

#include "devices/environment.hpp"

namespace seamscope {

// Follows the loader's rules on Linux: VK_DRIVER_FILES (or the older VK_ICD_FILENAMES) replaces the search paths,
// otherwise VK_ADD_DRIVER_FILES comes first, then XDG and system folders.
std::vector<IcdFile> find_icd_files(const EnvironmentSource& source);

// Adds the loader's messages to the manifests whose path or library they name.
void attach_loader_messages(std::vector<IcdFile>& files, const std::vector<std::string>& messages);

}  // namespace seamscope
