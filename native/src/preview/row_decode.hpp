#pragma once
// Steps 2 to 4 of view_math.hpp for a span of one row: interleaved float32, shown_channels(desc) a texel.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "preview/frame.hpp"

namespace seamscope {

// What a texel or a pixel contains; bits of one byte.
enum Flag : uint8_t { kFlagNan = 1, kFlagInf = 2, kFlagNegative = 4 };

class RowDecoder {
 public:
  explicit RowDecoder(const FrameDesc& desc);

  // Texels [first, first + out.size() / channels) of displayed row `y`.
  void decode(const std::byte* frame, uint32_t y, uint32_t first, std::span<float> out) const;

  // Flags of the decoded texels, OR-ed into `flags`; NaN and Inf in `texels` are replaced by their stand-ins (step 5).
  void take_flags(std::span<float> texels, std::span<uint8_t> flags) const;

  uint32_t channels() const { return channels_; }

 private:
  FrameDesc desc_;
  uint32_t channels_, colors_;
  bool normalised_, srgb_;
  std::vector<float> table_;  // decoded and linear value of every stored integer, where there are few enough of them
};

}  // namespace seamscope
