#pragma once
// Reads PNG files back.

#include <cstdint>
#include <span>
#include <vector>

namespace seamscope::test {

struct DecodedPng {
  uint32_t width = 0, height = 0, channels = 0;
  std::vector<uint8_t> bytes;
};

// Width 0 when `png` is not a PNG file.
DecodedPng decode_png(std::span<const uint8_t> png);

}  // namespace seamscope::test
