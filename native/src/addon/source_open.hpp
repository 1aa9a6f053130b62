#pragma once
// Finds the device of the built-in scene and starts it.

#include <memory>
#include <string>

#include "preview/frame_source.hpp"

namespace seamscope {

struct SceneOptions {
  std::string device;  // a Vulkan device UUID, "auto" or "host"
  uint32_t width = 0, height = 0;
};

// "auto" is the best Vulkan device, or the host where Vulkan has none. Blocks for as long as a driver takes to start.
Result<std::unique_ptr<FrameSource>> open_scene_source(const SceneOptions& options);

}  // namespace seamscope
