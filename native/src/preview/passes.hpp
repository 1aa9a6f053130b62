#pragma once
// The two passes of the preview. Implemented by threaded C++ (cpu_passes.hpp) and by Vulkan compute
// (gpu_passes.hpp); a test holds them to each other. All calls of one object come from one thread.

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "preview/frame.hpp"
#include "preview/frame_info.hpp"

namespace seamscope {

class Frame;

// One output of a frame, for the length of a call.
struct OutputRef {
  const Frame& frame;
  uint32_t index;
  const FrameDesc& desc;
  uint64_t offset = 0;  // of the image that is meant: others of a batch come before it
};

class PreviewPasses {
 public:
  virtual ~PreviewPasses() = default;

  // In words, for the source's description: "C++ passes, 2 threads", "Vulkan compute passes".
  virtual std::string name() const = 0;

  // Extremes and counts of the stored values (u8: 0..255, RGB10A2: 0..1023, D24S8: depth 0..1) over stat_channels(desc)
  // channels.
  virtual Result<FrameStats> ingest(const OutputRef& output) = 0;

  // Renders params.width x params.height pixels into `picture`, whose storage is reused. `stats` are those of the same
  // output.
  virtual Result<void> view(const OutputRef& output, const ViewParams& params, const FrameStats& stats,
                            Picture& picture) = 0;

  // False where the device cannot reach as much of the frame at once as one row of the picture needs.
  virtual bool can_view(const OutputRef&, const ViewParams&) const { return true; }

  // The distribution of what ingest measures over [span[0], span[1]]; `frame` is left to the caller.
  virtual Result<Histogram> histogram(const OutputRef& output, const std::array<double, 2>& span) = 0;
};

// Alpha is no measured value: it is the last channel of 2- and 4-channel colour and HDR frames, and of RGB10A2.
inline bool has_alpha(const FrameDesc& desc) {
  if (desc.dtype == Dtype::RGB10A2) return desc.channels == 4;
  return (desc.kind == OutputKind::Color || desc.kind == OutputKind::Hdr) && (desc.channels == 2 || desc.channels == 4);
}

// The leading channels that are measured: all but alpha and D24S8's stencil.
inline uint32_t stat_channels(const FrameDesc& desc) {
  if (desc.dtype == Dtype::D24S8) return 1;
  return desc.channels - (has_alpha(desc) ? 1 : 0);
}

// The leading channels that a picture can show.
inline uint32_t shown_channels(const FrameDesc& desc) {
  if (desc.dtype == Dtype::D24S8) return 1;
  return desc.channels < 4 ? desc.channels : 4;
}

}  // namespace seamscope
