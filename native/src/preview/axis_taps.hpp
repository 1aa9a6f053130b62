#pragma once
// Which texels a picture column (or row) covers. Computed once per view in double precision and given to both passes,
// so that they cannot disagree about edges.

#include <cstdint>
#include <vector>

namespace seamscope {

// Texels first .. first + count - 1. The first weighs `head`, the last `tail`, those between 1; with count 1 the weight
// is `head`. Weights are not normalised: divide by total_weight(). count 0: outside the frame.
struct AxisTap {
  int32_t first = 0;
  int32_t count = 0;
  float head = 0;
  float tail = 0;
};

inline float total_weight(const AxisTap& tap) {
  return tap.count < 2 ? tap.head : tap.head + tap.tail + static_cast<float>(tap.count - 2);
}

// `pixels` picture pixels look at texels [start, start + extent) of an axis of `size` texels.
//   extent <= pixels (magnified or 1:1): nearest; the texel under the pixel's centre, floor(start + (i + 0.5) * extent
//   / pixels). extent >  pixels (minified): area; the texels that [start + i * step, start + (i + 1) * step) overlaps
//   inside the frame, weighted by the overlap; overlaps below 1/4096 texel are dropped.
// `flip` counts texels from the other end: the tap of pixel i then covers the mirrored texels, with head and tail
// exchanged.
std::vector<AxisTap> axis_taps(uint32_t pixels, double start, double extent, uint32_t size, bool flip);

}  // namespace seamscope
