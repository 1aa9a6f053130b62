#include "preview/axis_taps.hpp"

#include <algorithm>
#include <cmath>

namespace seamscope {
namespace {

constexpr double kLeastOverlap = 1.0 / 4096.0;

AxisTap nearest_tap(double position, double size) {
  const double texel = std::floor(position);
  if (!(texel >= 0 && texel < size)) return {};
  return {static_cast<int32_t>(texel), 1, 1.0f, 0.0f};
}

AxisTap area_tap(double from, double to, double size) {
  from = std::max(from, 0.0);
  to = std::min(to, size);
  if (!(to - from > kLeastOverlap)) return {};
  double first = std::floor(from), last = std::ceil(to) - 1;
  if (first + 1 - from < kLeastOverlap) from = ++first;
  if (to - last < kLeastOverlap) to = last--;
  const auto count = static_cast<int32_t>(last - first) + 1;
  if (count == 1) return {static_cast<int32_t>(first), 1, static_cast<float>(to - from), 0.0f};
  return {static_cast<int32_t>(first), count, static_cast<float>(first + 1 - from), static_cast<float>(to - last)};
}

AxisTap mirrored(const AxisTap& tap, uint32_t size) {
  if (tap.count == 0) return tap;
  const int32_t first = static_cast<int32_t>(size) - tap.first - tap.count;
  if (tap.count == 1) return {first, 1, tap.head, 0.0f};
  return {first, tap.count, tap.tail, tap.head};
}

}  // namespace

std::vector<AxisTap> axis_taps(uint32_t pixels, double start, double extent, uint32_t size, bool flip) {
  std::vector<AxisTap> taps(pixels);
  const double step = extent / pixels;
  for (uint32_t i = 0; i < pixels; ++i) {
    const AxisTap tap = step <= 1 ? nearest_tap(start + (i + 0.5) * step, size)
                                  : area_tap(start + i * step, start + (i + 1) * step, size);
    taps[i] = flip ? mirrored(tap, size) : tap;
  }
  return taps;
}

}  // namespace seamscope
