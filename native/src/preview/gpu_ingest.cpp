#include "preview/gpu_ingest.hpp"

#include <cstring>

#include "base/bit_cast.hpp"
#include "ingest_comp.h"
#include "preview/gpu_window.hpp"
#include "preview/passes.hpp"
#include "preview/row_finish.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

constexpr uint32_t kGroupSize = 256;

// Enough to fill the device; what is left loops inside. CPU drivers pay for every workgroup with barriers.
uint32_t max_groups(const gpu::Device& device) {
  return device.is_cpu() ? 16 : 1024;
}

struct Results {
  uint32_t least, greatest, nan, inf, negative;
};

struct Band {
  uint32_t base, row_stride, pixel_stride, channel_stride;
  uint32_t width, rows, channels, unused;
};

bool is_signed(Dtype dtype) {
  return dtype == Dtype::I8 || dtype == Dtype::I16 || dtype == Dtype::I32;
}

// The value behind order_key() of shaders/ingest.comp.
double value_of(Dtype dtype, uint32_t key) {
  if (is_unsigned(dtype)) return key;
  if (is_signed(dtype)) return static_cast<int32_t>(key ^ 0x80000000u);
  return bit_cast<float>((key & 0x80000000u) ? key & 0x7FFFFFFFu : ~key);
}

FrameStats stats_of(Dtype dtype, const Results& results) {
  FrameStats stats{0, 0, results.nan, results.inf, results.negative};
  if (results.least > results.greatest) return stats;
  stats.min = value_of(dtype, results.least) + 0.0;  // turns -0 into 0
  stats.max = value_of(dtype, results.greatest) + 0.0;
  return stats;
}

}  // namespace

Result<std::unique_ptr<GpuIngest>> GpuIngest::create(std::shared_ptr<gpu::Device> device, uint64_t window) {
  std::unique_ptr<GpuIngest> ingest(new GpuIngest(device));
  ingest->limit_ = window_limit(*device, window);
  auto commands = gpu::Commands::create(device, device->compute());
  if (!commands) return commands.error();
  ingest->commands_ = std::move(*commands);
  auto results = gpu::StagedBuffer::create(device, sizeof(Results), gpu::MemoryUse::ReadBack);
  if (!results) return results.error();
  ingest->results_ = std::move(*results);
  return ingest;
}

Result<FrameStats> GpuIngest::run(const gpu::Buffer& frame, const FrameDesc& desc, uint64_t offset) {
  if (frame_bytes(desc) == 0) return FrameStats{};
  if (auto inside = check_frame(frame, desc, offset); !inside) return inside.error();
  if (auto begun = commands_->begin(); !begun) return begun.error();
  commands_->barrier();
  commands_->fill(results_.device(), 0, 4, 0xFFFFFFFFu);
  commands_->fill(results_.device(), 4, sizeof(Results) - 4, 0);
  commands_->barrier();
  if (auto recorded = record(frame, desc, offset); !recorded) return recorded.error();
  results_.to_host(*commands_, sizeof(Results));
  if (auto done = commands_->submit_and_wait(); !done) return done.error();
  if (auto fresh = results_.invalidate(); !fresh) return fresh.error();
  Results results;
  std::memcpy(&results, results_.host().data(), sizeof results);
  return stats_of(desc.dtype, results);
}

Result<gpu::ComputePipeline*> GpuIngest::pipeline(Dtype dtype, bool aligned) {
  const uint32_t constants[] = {static_cast<uint32_t>(dtype), aligned};
  auto& made = pipelines_[constants[0] * 2 + constants[1]];
  if (made) return made.get();
  auto pipeline = gpu::ComputePipeline::create(device_, {ingest_comp_spv, 0, 2, sizeof(Band), constants});
  if (!pipeline) return pipeline.error();
  made = std::move(*pipeline);
  return made.get();
}

// Channels whose planes lie further apart than a row is long are measured one after the other, each through its own
// windows.
Result<void> GpuIngest::record(const gpu::Buffer& frame, const FrameDesc& desc, uint64_t offset) {
  auto shader = pipeline(desc.dtype, words_aligned(desc, offset));
  if (!shader) return shader.error();
  const uint32_t channels = stat_channels(desc);
  const bool planar = channels > 1 && channel_offset(desc, channels - 1) >= desc.row_stride;
  if (!planar) return record_plane(frame, desc, offset, channels, **shader);
  for (uint32_t c = 0; c < channels; ++c)
    if (auto done = record_plane(frame, desc, offset + channel_offset(desc, c), 1, **shader); !done) return done;
  return {};
}

Result<void> GpuIngest::record_plane(const gpu::Buffer& frame, const FrameDesc& desc, uint64_t offset,
                                     uint32_t channels, const gpu::ComputePipeline& shader) {
  FrameDesc plane = desc;
  plane.channels = channels;
  plane.height = 1;
  const uint64_t row_bytes = frame_bytes(plane);
  if (row_bytes > limit_) return row_too_large(row_bytes, limit_);
  const uint64_t fitting = desc.row_stride ? (limit_ - row_bytes) / desc.row_stride + 1 : desc.height;
  const auto step = static_cast<uint32_t>(std::min<uint64_t>(fitting, desc.height));
  for (uint32_t y = 0; y < desc.height; y += step) {
    const uint32_t rows = std::min(step, desc.height - y);
    const uint64_t first = offset + y * desc.row_stride;
    const GpuWindow window = window_over(frame, first, first + (rows - 1) * desc.row_stride + row_bytes);
    const Band band{window.base,
                    static_cast<uint32_t>(desc.row_stride),
                    static_cast<uint32_t>(desc.pixel_stride),
                    static_cast<uint32_t>(channel_offset(desc, 1)),
                    desc.width,
                    rows,
                    channels,
                    0};
    const gpu::BufferRange buffers[] = {window.range, {&results_.device()}};
    const uint32_t across = std::min((desc.width + kGroupSize - 1) / kGroupSize, max_groups(*device_));
    const uint32_t down = std::min(rows, std::max(max_groups(*device_) / across, 1u));
    const auto push = std::as_bytes(std::span(&band, 1));
    if (auto done = commands_->dispatch(shader, buffers, push, across, down); !done) return done;
  }
  return {};
}

}  // namespace seamscope
