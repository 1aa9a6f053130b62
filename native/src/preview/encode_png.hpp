#pragma once
// PNG without loss, for pictures at rest and for saving 8-bit outputs.

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace seamscope {

// Tightly packed rows, top row first; 1 to 4 bytes a pixel: grey, grey and alpha, RGB, RGBA.
struct PngImage {
  uint32_t width, height, channels;
  std::span<const uint8_t> bytes;
};

// Both are thread-safe.
Result<std::vector<uint8_t>> encode_png(const PngImage& image);
// 16 bits a channel, in the machine's byte order: twice the bytes a pixel.
Result<std::vector<uint8_t>> encode_png16(const PngImage& image);

}  // namespace seamscope
