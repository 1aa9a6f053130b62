#pragma once
// The exact stored values of one texel, for the cursor.

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "preview/frame.hpp"

namespace seamscope {

struct Pixel {
  // One entry a channel. Integers beyond 2^53 are text in hex with their sign ("-0x20000000000001"); so are "NaN",
  // "Infinity" and
  // "-Infinity", which JSON numbers cannot say.
  std::vector<std::variant<double, std::string>> values;
  // The channel's stored bits, most significant digit first, without prefix; as many digits as the channel has bits,
  // rounded up.
  std::vector<std::string> hex;
};

// Displayed texel (x, y), counted from the top left; both must lie inside the frame.
Pixel read_pixel(const std::byte* bytes, const FrameDesc& desc, uint32_t x, uint32_t y);

}  // namespace seamscope
