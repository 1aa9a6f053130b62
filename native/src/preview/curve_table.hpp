#pragma once
// Steps 13 and 14 of view_math.hpp as a table over the leading bits of the float: at most a twentieth of a code off the
// formula (at gamma 1), and exact for every value that an 8-bit code decodes to.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bit_cast.hpp"

namespace seamscope {

class CurveTable {
 public:
  CurveTable(float gamma, bool srgb);

  // The table for these parameters; kept between calls, since a gamma lasts much longer than a frame. Thread-safe.
  static std::shared_ptr<const CurveTable> get(float gamma, bool srgb);

  uint8_t operator()(float v) const {
    // The negated comparison also sends NaN to 0.
    if (!(v > kLeast)) return codes_[0];
    if (v >= 1.0f) return 255;
    return codes_[(bit_cast<uint32_t>(v) >> kShift) - kFirst];
  }

 private:
  static constexpr uint32_t kShift = 13;  // leaves 10 bits of mantissa
  static constexpr float kLeast = 0x1p-32f;
  static constexpr uint32_t kFirst = (127u - 32u) << 10;

  std::vector<uint8_t> codes_;
};

}  // namespace seamscope
