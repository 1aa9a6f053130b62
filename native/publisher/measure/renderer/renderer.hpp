#pragma once
// A renderer of 8-bit RGBA frames that keeps its GPU busy: several dependent passes a frame, two frames in flight. What
// happens with a frame once it is drawn is the benchmark's variable.

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace seamscope::measure {

enum class After {
  Nothing,
  Publish,  // as the output "color"
  Copy,     // to pinned host memory, waited for
};

struct Drawn {
  int published = 0;      // what the publisher answered
  double publish_us = 0;  // CPU time of the calling thread in the publisher
};

struct FrameSize {
  uint32_t width = 0, height = 0;
  size_t bytes() const { return size_t{width} * height * 4; }
};

constexpr uint32_t kPasses = 8;    // of a frame
constexpr uint32_t kInFlight = 2;  // frames

class Renderer {
 public:
  virtual ~Renderer() = default;
  virtual std::string device() const = 0;
  // Returns before the GPU is done, unless it copies; waits while too many frames are in flight.
  virtual Result<Drawn> draw(After after) = 0;
  // Waits for everything that was drawn.
  virtual Result<void> finish() = 0;

  // Rounds of arithmetic a texel and pass.
  void set_steps(uint32_t steps) { steps_ = steps; }

 protected:
  uint32_t steps_ = 16, frame_ = 0;
};

Result<std::unique_ptr<Renderer>> make_cuda_renderer(FrameSize size);
Result<std::unique_ptr<Renderer>> make_vulkan_renderer(FrameSize size);

}  // namespace seamscope::measure
