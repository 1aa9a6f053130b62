#include "preview/gpu_histogram.hpp"

#include <cstring>

#include "histogram_comp.h"
#include "preview/gpu_measure.hpp"
#include "preview/histogram.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

// What shaders/histogram.comp fills; a sum of its own for each of measuring_groups() groups follows.
struct Results {
  uint32_t below, above, finite, unused;
  uint32_t bins[Histogram::kBins];
};

struct Push {
  MeasuredPush band;
  float low, high, scale, unused;
};

uint64_t result_bytes(const gpu::Device& device) {
  return sizeof(Results) + uint64_t{measuring_groups(device)} * sizeof(float);
}

Histogram histogram_of(std::span<const std::byte> bytes, uint32_t groups) {
  Results results;
  std::memcpy(&results, bytes.data(), sizeof results);
  Histogram histogram;
  histogram.below = results.below;
  histogram.above = results.above;
  for (size_t i = 0; i < Histogram::kBins; ++i) histogram.counts[i] = results.bins[i];
  double sum = 0;
  for (uint32_t i = 0; i < groups; ++i) {
    float part = 0;
    std::memcpy(&part, bytes.data() + sizeof results + i * sizeof part, sizeof part);
    sum += part;
  }
  if (results.finite) histogram.mean = sum / results.finite;
  return histogram;
}

}  // namespace

Result<std::unique_ptr<GpuHistogram>> GpuHistogram::create(std::shared_ptr<gpu::Device> device, uint64_t window) {
  std::unique_ptr<GpuHistogram> histogram(new GpuHistogram(device));
  histogram->limit_ = window_limit(*device, window);
  auto commands = gpu::Commands::create(device, device->compute());
  if (!commands) return commands.error();
  histogram->commands_ = std::move(*commands);
  auto results = gpu::StagedBuffer::create(device, result_bytes(*device), gpu::MemoryUse::ReadBack);
  if (!results) return results.error();
  histogram->results_ = std::move(*results);
  return histogram;
}

Result<Histogram> GpuHistogram::run(const gpu::Buffer& frame, const FrameDesc& desc, const std::array<double, 2>& span,
                                    uint64_t offset) {
  Histogram histogram;
  if (frame_bytes(desc) != 0) {
    const uint64_t bytes = result_bytes(*device_);
    if (auto inside = check_frame(frame, desc, offset); !inside) return inside.error();
    if (auto begun = commands_->begin(); !begun) return begun.error();
    commands_->barrier();
    commands_->fill(results_.device(), 0, bytes, 0);
    if (auto recorded = record(frame, desc, span, offset); !recorded) return recorded.error();
    commands_->barrier();
    results_.to_host(*commands_, bytes);
    if (auto done = commands_->submit_and_wait(); !done) return done.error();
    if (auto fresh = results_.invalidate(); !fresh) return fresh.error();
    histogram = histogram_of(results_.host(), measuring_groups(*device_));
  }
  histogram.low = span[0];
  histogram.high = span[1];
  return histogram;
}

Result<gpu::ComputePipeline*> GpuHistogram::pipeline(Dtype dtype, bool aligned) {
  const uint32_t constants[] = {static_cast<uint32_t>(dtype), aligned};
  auto& made = pipelines_[constants[0] * 2 + constants[1]];
  if (made) return made.get();
  auto pipeline = gpu::ComputePipeline::create(device_, {histogram_comp_spv, 0, 2, sizeof(Push), constants});
  if (!pipeline) return pipeline.error();
  made = std::move(*pipeline);
  return made.get();
}

// Bands wait for each other: a group adds to the sum that the same group of the band before left.
Result<void> GpuHistogram::record(const gpu::Buffer& frame, const FrameDesc& desc, const std::array<double, 2>& span,
                                  uint64_t offset) {
  auto shader = pipeline(desc.dtype, words_aligned(desc, offset));
  if (!shader) return shader.error();
  const Binning binning(span);
  return for_measured_bands(frame, desc, {offset, limit_}, [&](const MeasuredBand& band) {
    const gpu::BufferRange buffers[] = {band.window, {&results_.device()}};
    const Push push{band.push, binning.low, binning.high, binning.scale, 0};
    commands_->barrier();
    return commands_->dispatch(**shader, buffers, std::as_bytes(std::span(&push, 1)), band.across, band.down);
  });
}

}  // namespace seamscope
