#pragma once
// The built-in producer: a small moving world with four outputs. The picture depends on the frame number alone (time =
// frame / 60 s), and the Vulkan and the host renderer agree within the tolerance that native/test/scene_twins.cpp
// states.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.hpp"
#include "gpu/buffer.hpp"
#include "preview/frame.hpp"

namespace seamscope {

enum class SceneOutput : uint32_t {
  Color,  // "color": RGBA8, sRGB
  Hdr,    // "hdr": RGBA f16, linear, radiance far above 1 in the sun and its reflections
  Depth,  // "depth": f32, metres along the ray's forward axis, 1000 in the sky
  Ids,    // "ids": u32, one number an object, 0 in the background
};
constexpr size_t kSceneOutputs = 4;

const char* scene_output_name(SceneOutput output);
FrameDesc scene_output_desc(SceneOutput output, uint32_t width, uint32_t height);

// One rendered frame. Stays valid as long as it is held, however many frames are rendered meanwhile; free it to let its
// memory be used again.
class SceneFrame {
 public:
  virtual ~SceneFrame() = default;
  uint64_t number() const { return number_; }
  bool has(SceneOutput output) const { return (rendered_ >> static_cast<uint32_t>(output)) & 1; }

  // Waits for the rendering to end (bounded).
  virtual Result<void> wait() = 0;
  // The bytes of an output as scene_output_desc describes them; waits, and on the first call copies out of GPU memory
  // where that is not host memory. Error when the output was not rendered.
  virtual Result<std::span<const std::byte>> host_bytes(SceneOutput output) = 0;
  // For the Vulkan passes on the scene's device: they need no wait(), a barrier is enough on the same queue. Null on a
  // host scene.
  virtual const gpu::Buffer* buffer(SceneOutput output) const = 0;

 protected:
  uint64_t number_ = 0;
  uint32_t rendered_ = 0;
};

class Scene {
 public:
  virtual ~Scene() = default;
  uint32_t width() const { return width_; }
  uint32_t height() const { return height_; }

  // Starts rendering of the wanted outputs only. Returns before the GPU is done. Not thread-safe.
  virtual Result<std::shared_ptr<SceneFrame>> render(std::span<const SceneOutput> wanted, uint64_t frame) = 0;

  // In words, for the panel: "NVIDIA H200 (Vulkan 0)" or "host, 2 threads".
  virtual std::string device_text() const = 0;
  // Null on a host scene.
  virtual gpu::Device* device() const = 0;
  // Device-local bytes of the scene's own images.
  virtual uint64_t own_gpu_bytes() const = 0;

 protected:
  uint32_t width_ = 0, height_ = 0;
};

Result<std::unique_ptr<Scene>> open_vulkan_scene(std::shared_ptr<gpu::Device> device, uint32_t width, uint32_t height);
// `threads` 0 = one a core.
std::unique_ptr<Scene> open_host_scene(uint32_t width, uint32_t height, unsigned threads = 0);

}  // namespace seamscope
