#include "preview/flip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "preview/passes.hpp"
#include "preview/view_math.hpp"

namespace seamscope {
namespace {

// How the paper has people look: 0.7 m from a screen of 0.7 m and 3840 pixels.
constexpr double kPixelsPerDegree = 3840 * std::numbers::pi / 180;
constexpr uint64_t kMostPixels = uint64_t{3840} * 2160;

using Row = std::vector<float>;
using Taps = std::vector<float>;

template <typename Weight>
Taps taps(int radius, Weight&& weight) {
  Taps all;
  for (int i = -radius; i <= radius; ++i) all.push_back(static_cast<float>(weight(static_cast<double>(i))));
  return all;
}

// Positive weights add up to 1, negative ones to -1.
Taps balanced(Taps all) {
  float above = 0, below = 0;
  for (const float w : all) (w > 0 ? above : below) += w;
  for (float& w : all) w /= w > 0 ? above : -below;
  return all;
}

// The eye's contrast sensitivity for lightness, red against green and blue against yellow, as Gaussians; the last is
// the sum of two, each along both axes.
struct SpatialFilters {
  static constexpr int kRadius = 10;  // three standard deviations of the widest
  Taps light, red_green, blue_wide, blue_narrow;

  SpatialFilters() {
    const auto gaussian = [](double a, double b) {
      const double amplitude = std::sqrt(a * std::sqrt(std::numbers::pi / b));
      return taps(kRadius, [=](double i) {
        const double degrees = i / kPixelsPerDegree;
        return amplitude * std::exp(-std::numbers::pi * std::numbers::pi * degrees * degrees / b);
      });
    };
    light = balanced(gaussian(1, 0.0047));
    red_green = balanced(gaussian(1, 0.0053));
    blue_wide = gaussian(34.1, 0.04);
    blue_narrow = gaussian(13.5, 0.025);
    double squares = 0;
    for (const Taps* each : {&blue_wide, &blue_narrow}) {
      double sum = 0;
      for (const float w : *each) sum += w;
      squares += sum * sum;
    }
    for (Taps* each : {&blue_wide, &blue_narrow})
      for (float& w : *each) w = static_cast<float>(w / std::sqrt(squares));
  }
};

// Edges and points: a Gaussian with its first and second derivative.
struct FeatureFilters {
  static constexpr int kRadius = 9;
  Taps smooth, edge, point;

  FeatureFilters() {
    const double deviation = 0.5 * 0.082 * kPixelsPerDegree, variance = deviation * deviation;
    const auto gaussian = [=](double i) { return std::exp(-i * i / (2 * variance)); };
    smooth = balanced(taps(kRadius, gaussian));
    edge = balanced(taps(kRadius, [&](double i) { return -i * gaussian(i); }));
    point = balanced(taps(kRadius, [&](double i) { return (i * i / variance - 1) * gaussian(i); }));
  }
};

const SpatialFilters& spatial() {
  // Never destroyed: a thread may still measure while the process runs its exit handlers.
  static const auto& filters = *new SpatialFilters;
  return filters;
}
const FeatureFilters& features() {
  static const auto& filters = *new FeatureFilters;
  return filters;
}

using Triple = std::array<float, 3>;

// Over the white of D65.
Triple xyz_of(const Triple& rgb) {
  const auto [r, g, b] = rgb;
  return {(0.41238656f * r + 0.35759149f * g + 0.18045049f * b) / 0.950428545f,
          0.21263682f * r + 0.71518298f * g + 0.07218020f * b,
          (0.01933062f * r + 0.11919716f * g + 0.95037259f * b) / 1.088900371f};
}
Triple rgb_of(const Triple& xyz) {
  const float x = xyz[0] * 0.950428545f, y = xyz[1], z = xyz[2] * 1.088900371f;
  return {3.24100326f * x - 1.53739899f * y - 0.49861587f * z, -0.96922426f * x + 1.87592999f * y + 0.04155422f * z,
          0.05563942f * x - 0.20401120f * y + 1.05714897f * z};
}
// Lightness, red against green, blue against yellow; linear in the colour.
Triple opponent_of(const Triple& rgb) {
  const auto [x, y, z] = xyz_of(rgb);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}
Triple rgb_of_opponent(const Triple& c) {
  const float y = (c[0] + 16) / 116;
  Triple rgb = rgb_of({c[1] / 500 + y, y, y - c[2] / 200});
  for (float& v : rgb) v = view_math::clamp01(v);
  return rgb;
}
// CIELAB, its colours weighted by lightness (Hunt).
Triple lab_of(const Triple& rgb) {
  Triple f = xyz_of(rgb);
  for (float& v : f) v = v > 216.0f / 24389 ? std::cbrt(v) : v * (841.0f / 108) + 4.0f / 29;
  const float light = 116 * f[1] - 16, weight = 0.01f * light;
  return {light, weight * 500 * (f[0] - f[1]), weight * 200 * (f[1] - f[2])};
}
float distance_of(const Triple& a, const Triple& b) {
  return std::pow(std::fabs(a[0] - b[0]) + std::hypot(a[1] - b[1], a[2] - b[2]), 0.7f);
}

// Most errors are small: those below 0.4 of the largest distance take 0.95 of the scale.
float spread(float distance) {
  static const float most = distance_of(lab_of({0, 1, 0}), lab_of({0, 0, 1}));
  const float small = 0.4f * most;
  return distance < small ? distance * 0.95f / small : 0.95f + (distance - small) / (most - small) * 0.05f;
}

// The rows of one image around the current one, filtered along themselves.
class Side {
 public:
  explicit Side(const ImageView& image)
      : image_(image), width_(image.desc->width), numbers_(width_ * stat_channels(*image.desc)) {
    for (Row& row : opponent_) row.resize(width_ + 2 * kRadius);
    for (auto& rows : ring_)
      for (Row& row : rows) row.resize(width_);
    for (Row& row : across_) row.resize(width_);
  }

  // Filters row `y` of the image (the nearest one where there is none) along itself.
  void take(int y) {
    fill(static_cast<uint32_t>(std::clamp(y, 0, static_cast<int>(image_.desc->height) - 1)));
    Rows& rows = slot(y);
    along(0, spatial().light, rows[kLight]);
    along(1, spatial().red_green, rows[kRedGreen]);
    along(2, spatial().blue_wide, rows[kBlueWide]);
    along(2, spatial().blue_narrow, rows[kBlueNarrow]);
    along(0, features().smooth, rows[kSmooth]);
    along(0, features().edge, rows[kEdge]);
    along(0, features().point, rows[kPoint]);
  }

  // Row `y` across the rows that were taken: from y - kRadius to y + kRadius.
  void filter(int y) {
    for (Row& row : across_) std::fill(row.begin(), row.end(), 0.0f);
    across(y, spatial().light, kLight, across_[kLight]);
    across(y, spatial().red_green, kRedGreen, across_[kRedGreen]);
    across(y, spatial().blue_wide, kBlueWide, across_[kBlueWide]);
    across(y, spatial().blue_narrow, kBlueNarrow, across_[kBlueWide]);
    across(y, features().smooth, kEdge, across_[kEdge]);
    across(y, features().smooth, kPoint, across_[kPoint]);
    across(y, features().edge, kSmooth, across_[kEdgeDown]);
    across(y, features().point, kSmooth, across_[kPointDown]);
  }

  Triple seen(size_t x) const {
    return lab_of(rgb_of_opponent({across_[kLight][x], across_[kRedGreen][x], across_[kBlueWide][x]}));
  }
  float edges(size_t x) const { return std::hypot(across_[kEdge][x], across_[kEdgeDown][x]); }
  float points(size_t x) const { return std::hypot(across_[kPoint][x], across_[kPointDown][x]); }

  static constexpr int kRadius = SpatialFilters::kRadius;

 private:
  enum { kLight, kRedGreen, kBlueWide, kBlueNarrow, kSmooth, kEdge, kPoint, kMaps };
  enum { kEdgeDown = kSmooth, kPointDown = kBlueNarrow };
  static constexpr int kRows = 2 * kRadius + 1;
  using Rows = std::array<Row, kMaps>;

  Rows& slot(int y) { return ring_[static_cast<size_t>((y % kRows + kRows) % kRows)]; }

  // Opponent colours of a row, with repeated texels at either end.
  void fill(uint32_t y) {
    const size_t channels = stat_channels(*image_.desc);
    const float white = white_of(*image_.desc);
    const bool srgb = image_.desc->color_space == ColorSpace::Srgb;
    read_numbers(image_.bytes, *image_.desc, y, numbers_);
    for (size_t x = 0; x < width_; ++x) {
      Triple rgb;
      for (size_t c = 0; c < 3; ++c) {
        const float v = view_math::clamp01(static_cast<float>(numbers_[x * channels + (channels < 3 ? 0 : c)]) / white);
        rgb[c] = srgb ? view_math::srgb_decode(v) : v;
      }
      const Triple color = opponent_of(rgb);
      for (size_t c = 0; c < 3; ++c) opponent_[c][x + kRadius] = color[c];
    }
    for (Row& row : opponent_) {
      std::fill_n(row.begin(), kRadius, row[kRadius]);
      std::fill_n(row.end() - kRadius, kRadius, row[width_ + kRadius - 1]);
    }
  }

  static float white_of(const FrameDesc& desc) {
    if (desc.dtype == Dtype::U8) return 255;
    if (desc.dtype == Dtype::U16) return 65535;
    return desc.dtype == Dtype::RGB10A2 ? 1023.0f : 1.0f;
  }

  void along(size_t color, const Taps& filter, Row& out) const {
    const size_t skipped = kRadius - filter.size() / 2;
    std::fill(out.begin(), out.end(), 0.0f);
    for (size_t t = 0; t < filter.size(); ++t) add(filter[t], &opponent_[color][t + skipped], out);
  }

  void across(int y, const Taps& filter, size_t map, Row& out) {
    const int radius = static_cast<int>(filter.size() / 2);
    for (int t = -radius; t <= radius; ++t) add(filter[static_cast<size_t>(t + radius)], slot(y + t)[map].data(), out);
  }

  void add(float weight, const float* from, Row& to) const {
    for (size_t x = 0; x < width_; ++x) to[x] += weight * from[x];
  }

  ImageView image_;
  size_t width_;
  std::vector<double> numbers_;
  std::array<Row, 3> opponent_;
  std::array<Rows, kRows> ring_;
  Rows across_;
};

// The sum of errors over rows [begin, end).
double sum_of(const ImageView& a, const ImageView& b, uint32_t begin, uint32_t end) {
  Side left(a), right(b);
  double total = 0;
  int next = static_cast<int>(begin) - Side::kRadius;
  for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
    for (; next <= y + Side::kRadius; ++next) {
      left.take(next);
      right.take(next);
    }
    left.filter(y);
    right.filter(y);
    for (size_t x = 0; x < a.desc->width; ++x) {
      // Lightness counts from -16 to 100 where the paper's features count from 0 to 1.
      const float edges = std::fabs(left.edges(x) - right.edges(x)),
                  points = std::fabs(left.points(x) - right.points(x));
      const float feature = std::sqrt(std::max(edges, points) / 116 / std::numbers::sqrt2_v<float>);
      const float color = spread(distance_of(left.seen(x), right.seen(x)));
      total += std::pow(color, 1 - feature);
    }
  }
  return total;
}

bool is_display(const FrameDesc& desc) {
  return desc.kind == OutputKind::Color && desc.color_space != ColorSpace::Data;
}

}  // namespace

std::optional<double> flip_of(ThreadPool& pool, const ImageView& a, const ImageView& b) {
  const uint32_t width = a.desc->width, height = a.desc->height;
  if (!is_display(*a.desc) || !is_display(*b.desc) || uint64_t{width} * height > kMostPixels) return std::nullopt;
  // A band begins with the rows above it: a few large bands.
  const uint32_t step = std::max((height + pool.threads() - 1) / pool.threads(), 1u);
  std::vector<double> sums((height + step - 1) / step);
  pool.parallel_for(static_cast<uint32_t>(sums.size()),
                    [&](uint32_t i) { sums[i] = sum_of(a, b, i * step, std::min((i + 1) * step, height)); });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total / (static_cast<double>(width) * height);
}

}  // namespace seamscope
