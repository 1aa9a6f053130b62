#pragma once
// What the preview needs from a producer of frames. The built-in scene is one; test patterns and published frames are
// others.

#include <cstddef>
#include <cstdint>
#include <functional>
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
class Device;
}  // namespace gpu

struct OutputInfo {
  std::string name;  // "color", "hdr", "depth", "ids"
  FrameDesc desc;
};

// One rendered frame. Immutable and alive as long as somebody holds it: views keep the frame last shown for pause,
// cursor values and saving. `output` is an index into FrameSource::outputs(). Thread-safe.
class Frame {
 public:
  virtual ~Frame() = default;
  virtual uint64_t number() const = 0;
  virtual bool has(uint32_t output) const = 0;

  // The bytes of an output, starting at the first channel of the first texel of the first row in memory; waits for the
  // device and copies out of GPU memory when that is needed. Error when the output was not rendered or the device is
  // lost.
  virtual Result<std::span<const std::byte>> host_bytes(uint32_t output) const = 0;
  // Whether an output's bytes lie in ordinary memory that nobody but the holders of this frame needs: then keeping the
  // frame costs no more than a copy would.
  virtual bool own_memory(uint32_t) const { return false; }

  // What this frame's bytes are, where that differs from frame to frame: it lives as long as the frame. nullptr: as
  // FrameSource::outputs() says.
  virtual const FrameDesc* desc(uint32_t) const { return nullptr; }

  // When the producer had made it, on the clock of now_ms(); 0: when render() returned.
  virtual double produced_at() const { return 0; }
  // Milliseconds from there until the frame was in the engine's hands.
  virtual double handoff_ms() const { return 0; }
  // Frames that the producer made and did not hand over, since the source was opened.
  virtual uint64_t skipped() const { return 0; }

  // The same bytes for passes on the device; nullptr when there is no device.
  virtual const gpu::Buffer* buffer(uint32_t) const { return nullptr; }
  // Whether host_bytes() has nothing to copy.
  virtual bool on_host(uint32_t) const { return true; }
  // Whether the buffer's device has other work that a look at it would hold up, such as the program's that made the
  // frame.
  virtual bool shares_gpu() const { return false; }
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;

  // Thread-safe. Outputs may be added and their descriptions may change, but an index keeps its name for the life of
  // the source.
  virtual std::vector<OutputInfo> outputs() const = 0;
  // Where frames are made, in words: "NVIDIA H200 (Vulkan 0)".
  virtual std::string device() const = 0;

  // True for producers with a rhythm of their own. Then render() gives the newest frame that is there (the same one
  // again while there is no newer one), whatever the number; nullptr when no frame with any wanted output has come yet.
  virtual bool pushes() const { return false; }
  // Called before render(). `changed` is to be called, from any thread, when a newer frame is there or outputs()
  // has changed; it returns at once. An empty function ends it: it neither runs nor is called after that.
  virtual void listen([[maybe_unused]] std::function<void()> changed) {}
  // What is wrong while frames may still come, one sentence: the newest file is broken. Told by `changed` as well.
  // Thread-safe.
  virtual std::string problem() const { return {}; }
  // The outputs that somebody looks at, and the highest rate (frames a second) that anybody wants; called whenever that
  // changes, none when nobody looks. Thread-safe, returns at once.
  virtual void want([[maybe_unused]] std::span<const uint32_t> outputs, [[maybe_unused]] double max_rate) {}

  // Renders the outputs whose indices are in `wanted` and waits for the end, within a bounded time. The same number
  // gives the same picture again. Frames still held are never overwritten. Called by one thread at a time; an error
  // means that the device is lost.
  virtual Result<std::shared_ptr<const Frame>> render(uint64_t number, std::span<const uint32_t> wanted) = 0;

  // The passes on the device that makes the frames; nullptr where the C++ passes are the faster ones (CPU devices) or
  // the only ones.
  virtual std::unique_ptr<PreviewPasses> device_passes() { return nullptr; }

  // A GPU that is open anyway and may draw frames of host memory; nullptr: there is none. Thread-safe.
  virtual std::shared_ptr<gpu::Device> spare_device() const { return nullptr; }

  // GPU memory held beyond the scene's own images, in bytes. Thread-safe.
  virtual uint64_t gpu_memory_bytes() const { return 0; }
};

}  // namespace seamscope
