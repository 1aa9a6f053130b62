#pragma once
// What the preview needs from a producer of frames. The built-in scene is one; test patterns and published frames are
// others.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "preview/frame.hpp"
#include "preview/passes.hpp"

namespace seamscope {

namespace gpu {
class Buffer;
}

struct OutputInfo {
  std::string name;  // "color", "hdr", "depth", "ids"
  FrameDesc desc;
};

// One rendered frame. Immutable and alive as long as somebody holds it: views keep the frame last shown for pause,
// cursor values and saving. `output` is an index into FrameSource::outputs(). Used by one thread at a time.
class Frame {
 public:
  virtual ~Frame() = default;
  virtual uint64_t number() const = 0;
  virtual bool has(uint32_t output) const = 0;

  // The bytes of an output, starting at the first channel of the first texel of the first row in memory; waits for the
  // device and copies out of GPU memory when that is needed. Error when the output was not rendered or the device is
  // lost.
  virtual Result<std::span<const std::byte>> host_bytes(uint32_t output) const = 0;
  // The same bytes for passes on the device; nullptr when there is no device.
  virtual const gpu::Buffer* buffer(uint32_t) const { return nullptr; }
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;

  // Fixed for the life of the source.
  virtual const std::vector<OutputInfo>& outputs() const = 0;
  // Where frames are made, in words: "NVIDIA H200 (Vulkan 0)".
  virtual std::string device() const = 0;

  // Renders the outputs whose indices are in `wanted` and waits for the end, within a bounded time. The same number
  // gives the same picture again. Frames still held are never overwritten. Called by one thread at a time; an error
  // means that the device is lost.
  virtual Result<std::shared_ptr<const Frame>> render(uint64_t number, std::span<const uint32_t> wanted) = 0;

  // The passes on the device that makes the frames; nullptr where the C++ passes are the faster ones (CPU devices) or
  // the only ones.
  virtual std::unique_ptr<PreviewPasses> device_passes() { return nullptr; }

  // GPU memory held beyond the scene's own images, in bytes. Thread-safe.
  virtual uint64_t gpu_memory_bytes() const { return 0; }
};

}  // namespace seamscope
