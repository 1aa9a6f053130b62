#include "preview/gpu_ingest.hpp"

#include <cstring>

#include "base/bit_cast.hpp"
#include "ingest_comp.h"
#include "preview/gpu_measure.hpp"
#include "preview/passes.hpp"
#include "preview/row_finish.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

struct Results {
  uint32_t least, greatest, nan, inf, negative;
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
  auto pipeline = gpu::ComputePipeline::create(device_, {ingest_comp_spv, 0, 2, sizeof(MeasuredPush), constants});
  if (!pipeline) return pipeline.error();
  made = std::move(*pipeline);
  return made.get();
}

Result<void> GpuIngest::record(const gpu::Buffer& frame, const FrameDesc& desc, uint64_t offset) {
  auto shader = pipeline(desc.dtype, words_aligned(desc, offset));
  if (!shader) return shader.error();
  return for_measured_bands(frame, desc, {offset, limit_}, [&](const MeasuredBand& band) {
    const gpu::BufferRange buffers[] = {band.window, {&results_.device()}};
    return commands_->dispatch(**shader, buffers, std::as_bytes(std::span(&band.push, 1)), band.across, band.down);
  });
}

}  // namespace seamscope
