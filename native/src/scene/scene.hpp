#pragma once
// The built-in producer: a small moving world with four outputs. The picture depends on the frame number alone (time =
// frame / 60 s), and the Vulkan and the host renderer agree within the tolerance that native/test/scene_twins.cpp
// states.

#include <memory>

#include "gpu/device.hpp"
#include "preview/frame_source.hpp"

namespace seamscope {

// Indices into FrameSource::outputs().
enum SceneOutput : uint32_t {
  kSceneColor,  // "color": RGBA8, sRGB
  kSceneHdr,    // "hdr": RGBA f16, linear, radiance far above 1 in the sun and its reflections
  kSceneDepth,  // "depth": f32, metres along the camera's forward axis; 32 in the sky
  kSceneIds,    // "ids": u32, one number an object, 0 in the background
};
constexpr uint32_t kSceneOutputs = 4;

// Sides that the scene can be opened with.
constexpr uint32_t kMaxSceneSide = 16384;

Result<void> check_scene_size(uint32_t width, uint32_t height);
std::vector<OutputInfo> scene_outputs(uint32_t width, uint32_t height);

Result<std::unique_ptr<FrameSource>> open_vulkan_scene(std::shared_ptr<gpu::Device> device, uint32_t width,
                                                       uint32_t height);
// Threaded C++, for machines without a Vulkan driver. `threads` 0 = one a core.
Result<std::unique_ptr<FrameSource>> open_host_scene(uint32_t width, uint32_t height, unsigned threads = 0);

}  // namespace seamscope
