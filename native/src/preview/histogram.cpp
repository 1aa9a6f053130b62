#include "preview/histogram.hpp"

#include <algorithm>
#include <cmath>

#include "preview/passes.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

// What one thread has counted.
struct Counts {
  std::array<uint64_t, Histogram::kBins> bins{};
  uint64_t below = 0, above = 0, finite = 0;
  double sum = 0;

  void add(double value, const Binning& binning, uint64_t times = 1) {
    if (!std::isfinite(value)) return;
    finite += times;
    sum += value * static_cast<double>(times);
    const auto v = static_cast<float>(value);
    if (v < binning.low)
      below += times;
    else if (v > binning.high)
      above += times;
    else
      bins[binning(v)] += times;
  }
  void add(const Counts& other) {
    for (size_t i = 0; i < bins.size(); ++i) bins[i] += other.bins[i];
    below += other.below;
    above += other.above;
    finite += other.finite;
    sum += other.sum;
  }
};

struct Rows {
  uint32_t begin, end;
};

// Formats of so few bit patterns that each pattern is counted, and looked at once in the end.
template <Dtype D>
constexpr bool kPatterns = !is_packed(D) && dtype_size(D) <= 2;

template <Dtype D, typename Visit>
void for_numbers(const std::byte* bytes, const FrameDesc& desc, Rows rows, Visit&& visit) {
  const uint32_t channels = stat_channels(desc);
  for (uint32_t y = rows.begin; y < rows.end; ++y)
    for (uint32_t c = 0; c < channels; ++c) {
      const std::byte* at = bytes + y * desc.row_stride + channel_offset(desc, c);
      for (uint32_t x = 0; x < desc.width; ++x, at += desc.pixel_stride) visit(at, c);
    }
}

template <Dtype D>
Counts count(const std::byte* bytes, const FrameDesc& desc, Rows rows, const Binning& binning) {
  Counts counts;
  if constexpr (kPatterns<D>) {
    using Pattern = std::conditional_t<dtype_size(D) == 1, uint8_t, uint16_t>;
    // Two tables in turn: equal neighbours would wait for each other's increment.
    constexpr size_t kCount = size_t{1} << (8 * sizeof(Pattern));
    std::vector<uint32_t> tables(2 * kCount);
    size_t turn = 0;
    for_numbers<D>(bytes, desc, rows, [&](const std::byte* at, uint32_t) {
      ++tables[turn + load_as<Pattern>(at)];
      turn ^= kCount;
    });
    for (size_t i = 0; i < kCount; ++i) {
      const uint64_t times = uint64_t{tables[i]} + tables[kCount + i];
      const auto pattern = static_cast<Pattern>(i);
      const auto* at = reinterpret_cast<const std::byte*>(&pattern);
      if (times) counts.add(static_cast<double>(load<D>(at, 0)), binning, times);
    }
  } else {
    for_numbers<D>(bytes, desc, rows,
                   [&](const std::byte* at, uint32_t c) { counts.add(static_cast<double>(load<D>(at, c)), binning); });
  }
  return counts;
}

}  // namespace

std::array<double, 2> histogram_span(const FrameDesc& desc, const ViewParams& params, const FrameStats& stats) {
  if (params.range && (*params.range)[1] > (*params.range)[0]) return *params.range;
  if (desc.dtype == Dtype::U8) return {0, 255};
  if (desc.dtype == Dtype::I8) return {-128, 127};
  return {stats.min, stats.max};
}

Histogram cpu_histogram(ThreadPool& pool, const std::byte* bytes, const FrameDesc& desc,
                        const std::array<double, 2>& span) {
  Histogram histogram;
  histogram.low = span[0];
  histogram.high = span[1];
  if (frame_bytes(desc) == 0) return histogram;
  const Binning binning(span);
  const uint32_t step = (desc.height + pool.threads() - 1) / pool.threads();
  std::vector<Counts> bands((desc.height + step - 1) / step);
  pool.parallel_for(static_cast<uint32_t>(bands.size()), [&](uint32_t i) {
    const Rows rows{i * step, std::min((i + 1) * step, desc.height)};
    bands[i] = with_dtype(desc.dtype, [&](auto tag) { return count<tag.value>(bytes, desc, rows, binning); });
  });
  Counts all;
  for (const Counts& band : bands) all.add(band);
  histogram.counts = all.bins;
  histogram.below = all.below;
  histogram.above = all.above;
  histogram.mean = all.finite ? all.sum / static_cast<double>(all.finite) : 0;
  return histogram;
}

}  // namespace seamscope
