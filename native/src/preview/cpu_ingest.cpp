#include "preview/cpu_ingest.hpp"

#include <algorithm>

#include "base/bit_cast.hpp"
#include "preview/lane_stats.hpp"
#include "preview/passes.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

template <typename T>
double as_double(T value) {
  return static_cast<double>(value);
}
double from_bool(uint8_t value) {
  return value != 0;
}
double from_f16(int16_t bits) {
  return decode::f16(static_cast<uint16_t>(bits));
}
double from_bf16(int16_t bits) {
  return decode::bf16(static_cast<uint16_t>(bits));
}
double from_f32(int32_t bits) {
  return bit_cast<float>(bits);
}

// The vector loop of each dtype that has one.
template <Dtype D>
struct Lanes {
  using type = void;
};
template <>
struct Lanes<Dtype::Bool> {
  using type = LaneStats<uint8_t, 0, from_bool>;
};
template <>
struct Lanes<Dtype::U8> {
  using type = LaneStats<uint8_t, 0, as_double<uint8_t>>;
};
template <>
struct Lanes<Dtype::I8> {
  using type = LaneStats<int8_t, 0, as_double<int8_t>>;
};
template <>
struct Lanes<Dtype::U16> {
  using type = LaneStats<uint16_t, 0, as_double<uint16_t>>;
};
template <>
struct Lanes<Dtype::I16> {
  using type = LaneStats<int16_t, 0, as_double<int16_t>>;
};
template <>
struct Lanes<Dtype::U32> {
  using type = LaneStats<uint32_t, 0, as_double<uint32_t>>;
};
template <>
struct Lanes<Dtype::I32> {
  using type = LaneStats<int32_t, 0, as_double<int32_t>>;
};
template <>
struct Lanes<Dtype::F16> {
  using type = LaneStats<int16_t, 0x7C00, from_f16>;
};
template <>
struct Lanes<Dtype::BF16> {
  using type = LaneStats<int16_t, 0x7F80, from_bf16>;
};
template <>
struct Lanes<Dtype::F32> {
  using type = LaneStats<int32_t, 0x7F800000, from_f32>;
};

struct Rows {
  uint32_t begin, end;
};

template <Dtype D>
Extremes any_layout(const std::byte* bytes, const FrameDesc& desc, Rows rows) {
  Extremes seen;
  const uint32_t channels = stat_channels(desc);
  for (uint32_t y = rows.begin; y < rows.end; ++y) {
    const std::byte* row = bytes + y * desc.row_stride;
    for (uint32_t c = 0; c < channels; ++c) {
      const std::byte* at = row + channel_offset(desc, c);
      for (uint32_t x = 0; x < desc.width; ++x) seen.add(static_cast<double>(load<D>(at + x * desc.pixel_stride, c)));
    }
  }
  return seen;
}

// Numbers between one texel and the next when they lie side by side and the period suits the lanes; 0 otherwise.
uint32_t interleaved_period(const FrameDesc& desc) {
  const uint64_t size = dtype_size(desc.dtype);
  if (is_packed(desc.dtype) || (desc.channels > 1 && desc.channel_stride != size)) return 0;
  if (desc.pixel_stride == desc.channels * size && stat_channels(desc) == desc.channels) return 1;  // all are measured
  if (desc.pixel_stride == 2 * size && desc.channels <= 2) return 2;
  if (desc.pixel_stride == 4 * size && desc.channels <= 4) return 4;
  return 0;
}

template <typename Stats>
Extremes interleaved(const std::byte* bytes, const FrameDesc& desc, Rows rows, uint32_t period) {
  Stats stats(period, period == 1 ? 1 : stat_channels(desc));
  const size_t padded = period == 1 ? desc.channels : period;
  const size_t count = (desc.width - 1) * padded + desc.channels;
  for (uint32_t y = rows.begin; y < rows.end; ++y) stats.row(bytes + y * desc.row_stride, count);
  return stats.result();
}

template <typename Stats>
Extremes planar(const std::byte* bytes, const FrameDesc& desc, Rows rows) {
  Stats stats(1, 1);
  for (uint32_t y = rows.begin; y < rows.end; ++y)
    for (uint32_t c = 0; c < stat_channels(desc); ++c)
      stats.row(bytes + y * desc.row_stride + c * desc.channel_stride, desc.width);
  return stats.result();
}

template <Dtype D>
Extremes measure(const std::byte* bytes, const FrameDesc& desc, Rows rows) {
  using Stats = typename Lanes<D>::type;
  if constexpr (!std::is_void_v<Stats>) {
    if (const uint32_t period = interleaved_period(desc)) return interleaved<Stats>(bytes, desc, rows, period);
    if (desc.pixel_stride == dtype_size(D)) return planar<Stats>(bytes, desc, rows);
  }
  return any_layout<D>(bytes, desc, rows);
}

}  // namespace

FrameStats cpu_ingest(ThreadPool& pool, const std::byte* bytes, const FrameDesc& desc) {
  if (frame_bytes(desc) == 0) return {};
  const uint32_t step = band_rows(desc.height, pool.threads());
  std::vector<Extremes> bands((desc.height + step - 1) / step);
  pool.parallel_for(static_cast<uint32_t>(bands.size()), [&](uint32_t i) {
    const Rows rows{i * step, std::min((i + 1) * step, desc.height)};
    bands[i] = with_dtype(desc.dtype, [&](auto tag) { return measure<tag.value>(bytes, desc, rows); });
  });
  Extremes all;
  for (const Extremes& band : bands) all.merge(band);
  return all.stats();
}

}  // namespace seamscope
