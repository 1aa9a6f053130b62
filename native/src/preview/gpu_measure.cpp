#include "preview/gpu_measure.hpp"

#include <algorithm>

#include "preview/passes.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

constexpr uint32_t kGroupSize = 256;

Result<void> measure_plane(const gpu::Buffer& frame, const FrameDesc& desc, const MeasuredPart& part, uint32_t channels,
                           const std::function<Result<void>(const MeasuredBand&)>& use) {
  FrameDesc plane = desc;
  plane.channels = channels;
  plane.height = 1;
  const uint64_t row_bytes = frame_bytes(plane);
  if (row_bytes > part.limit) return row_too_large(row_bytes, part.limit);
  const uint64_t fitting = desc.row_stride ? (part.limit - row_bytes) / desc.row_stride + 1 : desc.height;
  const auto step = static_cast<uint32_t>(std::min<uint64_t>(fitting, desc.height));
  const uint32_t most = measuring_groups(frame.device());
  for (uint32_t y = 0; y < desc.height; y += step) {
    const uint32_t rows = std::min(step, desc.height - y);
    const uint64_t first = part.offset + y * desc.row_stride;
    const GpuWindow window = window_over(frame, first, first + (rows - 1) * desc.row_stride + row_bytes);
    const MeasuredPush push{window.base,
                            static_cast<uint32_t>(desc.row_stride),
                            static_cast<uint32_t>(desc.pixel_stride),
                            static_cast<uint32_t>(channel_offset(desc, 1)),
                            desc.width,
                            rows,
                            channels,
                            0};
    const uint32_t across = std::min((desc.width + kGroupSize - 1) / kGroupSize, most);
    const uint32_t down = std::min(rows, std::max(most / across, 1u));
    if (auto done = use({window.range, push, across, down}); !done) return done;
  }
  return {};
}

}  // namespace

// CPU drivers pay for every workgroup with barriers.
uint32_t measuring_groups(const gpu::Device& device) {
  return device.is_cpu() ? 16 : 1024;
}

Result<void> for_measured_bands(const gpu::Buffer& frame, const FrameDesc& desc, const MeasuredPart& part,
                                const std::function<Result<void>(const MeasuredBand&)>& use) {
  const uint32_t channels = stat_channels(desc);
  const bool planar = channels > 1 && channel_offset(desc, channels - 1) >= desc.row_stride;
  if (!planar) return measure_plane(frame, desc, part, channels, use);
  for (uint32_t c = 0; c < channels; ++c) {
    const MeasuredPart plane{part.offset + channel_offset(desc, c), part.limit};
    if (auto done = measure_plane(frame, desc, plane, 1, use); !done) return done;
  }
  return {};
}

}  // namespace seamscope
