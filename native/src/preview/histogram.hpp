#pragma once
// The distribution of a frame's values in threaded C++. gpu_histogram.hpp is its twin: counts are equal, the mean to
// float precision.

#include <array>
#include <cstddef>

#include "preview/frame_info.hpp"
#include "preview/thread_pool.hpp"

namespace seamscope {

// What the bins span: the range that the view shows when it has one; else all values of 8-bit integers, and the frame's
// own extremes.
std::array<double, 2> histogram_span(const FrameDesc& desc, const ViewParams& params, const FrameStats& stats);

// The bin of a value as both passes compute it, in floats.
struct Binning {
  float low, high, scale;
  explicit Binning(const std::array<double, 2>& span)
      : low(static_cast<float>(span[0])),
        high(static_cast<float>(span[1])),
        scale(high > low ? static_cast<float>(Histogram::kBins) / (high - low) : 0.0f) {}
  // The value lies within [low, high].
  uint32_t operator()(float v) const {
    const float bin = (v - low) * scale;
    return bin < static_cast<float>(Histogram::kBins - 1) ? static_cast<uint32_t>(bin) : Histogram::kBins - 1;
  }
};

// `bytes` reaches frame_bytes(desc). Stored values of the first stat_channels(desc) channels, as ingest measures them.
Histogram cpu_histogram(ThreadPool& pool, const std::byte* bytes, const FrameDesc& desc,
                        const std::array<double, 2>& span);

}  // namespace seamscope
