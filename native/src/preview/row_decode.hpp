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

// Stored: as step 2 says. Truth: 0, or 1 where the value is not 0. Unit: integers are divided by their largest value,
// signed ones too, whatever the colour space, and nothing is linearised.
enum class DecodeAs { Stored, Truth, Unit };
DecodeAs decode_as(FalseColor false_color);

class RowDecoder {
 public:
  explicit RowDecoder(const FrameDesc& desc, DecodeAs as = DecodeAs::Stored);

  // Texels [first, first + out.size() / channels) of displayed row `y`.
  void decode(const std::byte* frame, uint32_t y, uint32_t first, std::span<float> out) const;

  // Flags of the decoded texels, OR-ed into `flags`; NaN and Inf in `texels` are replaced by their stand-ins (step 5).
  void take_flags(std::span<float> texels, std::span<uint8_t> flags) const;

  // Truth only, after the flags: makes every value 0 or 1.
  void take_truth(std::span<float> texels) const;

  uint32_t channels() const { return channels_; }

  // What decode() makes of each byte, where a texel is channels() bytes side by side that are looked up one by one;
  // empty otherwise.
  std::span<const float> byte_table() const { return byte_table_; }
  const std::byte* row(const std::byte* frame, uint32_t y) const;
  uint64_t texel_stride() const { return desc_.pixel_stride; }

 private:
  void make_byte_table();

  FrameDesc desc_;
  uint32_t channels_, colors_;
  DecodeAs as_;
  bool normalised_, srgb_;
  std::vector<float> table_;  // decoded and linear value of every stored integer, where there are few enough of them
  std::vector<float> byte_table_;
};

}  // namespace seamscope
