#include "preview/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "preview/number_row.hpp"
#include "preview/passes.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

// Calls body(y, scratch) for every row, in bands on all threads; Scratch is made once a band.
template <typename Scratch, typename Body>
void for_rows(ThreadPool& pool, uint32_t height, const Scratch& prototype, std::vector<Scratch>& bands, Body&& body) {
  const uint32_t step = band_rows(height, pool.threads());
  bands.assign((height + step - 1) / step, prototype);
  pool.parallel_for(static_cast<uint32_t>(bands.size()), [&](uint32_t i) {
    for (uint32_t y = i * step; y < std::min((i + 1) * step, height); ++y) body(y, bands[i]);
  });
}

struct Pair {
  std::vector<double> a, b;
};

struct Sums {
  Pair rows;
  double absolute = 0, squared = 0, peak = 0;
  uint64_t count = 0;

  void add(double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b)) return;
    const double d = a - b;
    absolute += std::fabs(d);
    squared += d * d;
    peak = std::max(peak, std::fabs(b));
    ++count;
  }
};

double largest_value(Dtype dtype) {
  switch (dtype) {
    case Dtype::Bool:
    case Dtype::D24S8:
      return 1;
    case Dtype::U8:
      return 255;
    case Dtype::I8:
      return 127;
    case Dtype::U16:
      return 65535;
    case Dtype::I16:
      return 32767;
    case Dtype::RGB10A2:
      return 1023;
    default:
      return 0;
  }
}

}  // namespace

std::string why_not_comparable(const FrameDesc& a, const FrameDesc& b) {
  const auto shape = [](const FrameDesc& d) {
    return std::to_string(d.width) + "x" + std::to_string(d.height) + " with " + std::to_string(stat_channels(d)) +
           (stat_channels(d) == 1 ? " channel" : " channels");
  };
  const bool equal = a.width == b.width && a.height == b.height && stat_channels(a) == stat_channels(b);
  if (equal && frame_bytes(a) != 0) return {};
  return "The frame is " + shape(a) + ", the reference " + shape(b) + ".";
}

Difference difference_of(ThreadPool& pool, const ImageView& a, const ImageView& b, bool is_signed) {
  const uint32_t channels = stat_channels(*a.desc);
  Difference difference;
  FrameDesc& desc = difference.desc;
  desc = {a.desc->width, a.desc->height, channels, Dtype::F32, OutputKind::Tensor, ColorSpace::Data};
  desc.channel_stride = 4;
  desc.pixel_stride = uint64_t{channels} * 4;
  desc.row_stride = desc.pixel_stride * desc.width;
  difference.bytes.resize(frame_bytes(desc));
  const size_t numbers = size_t{desc.width} * channels;
  std::vector<Pair> bands;
  for_rows(pool, desc.height, Pair{std::vector<double>(numbers), std::vector<double>(numbers)}, bands,
           [&](uint32_t y, Pair& rows) {
             read_numbers(a.bytes, *a.desc, y, rows.a);
             read_numbers(b.bytes, *b.desc, y, rows.b);
             std::byte* out = difference.bytes.data() + y * desc.row_stride;
             for (size_t i = 0; i < numbers; ++i, out += 4) {
               const bool same = rows.a[i] == rows.b[i] || (std::isnan(rows.a[i]) && std::isnan(rows.b[i]));
               const double d = same ? 0 : rows.a[i] - rows.b[i];
               const auto v = static_cast<float>(is_signed ? d : std::fabs(d));
               std::memcpy(out, &v, 4);
             }
           });
  return difference;
}

Metrics metrics_of(ThreadPool& pool, const ImageView& shown, const ImageView& reference) {
  const size_t numbers = size_t{shown.desc->width} * stat_channels(*shown.desc);
  Sums empty;
  empty.rows = {std::vector<double>(numbers), std::vector<double>(numbers)};
  std::vector<Sums> bands;
  for_rows(pool, shown.desc->height, empty, bands, [&](uint32_t y, Sums& sums) {
    read_numbers(shown.bytes, *shown.desc, y, sums.rows.a);
    read_numbers(reference.bytes, *reference.desc, y, sums.rows.b);
    for (size_t i = 0; i < numbers; ++i) sums.add(sums.rows.a[i], sums.rows.b[i]);
  });
  double absolute = 0, squared = 0, peak = 0, count = 0;
  for (const Sums& band : bands) {
    absolute += band.absolute;
    squared += band.squared;
    peak = std::max(peak, band.peak);
    count += static_cast<double>(band.count);
  }
  const double largest = largest_value(reference.desc->dtype);
  if (largest > 0) peak = largest;
  Metrics metrics;
  metrics.mae = count > 0 ? absolute / count : 0;
  if (squared > 0) metrics.psnr = peak > 0 ? 10 * std::log10(peak * peak * count / squared) : 0;
  metrics.ssim = ssim_of(pool, shown, reference, peak);
  return metrics;
}

}  // namespace seamscope
