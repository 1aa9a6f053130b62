#pragma once
// float to IEEE half, rounded to nearest even, as shaders store it.

#include <cstdint>

#include "base/bit_cast.hpp"

namespace seamscope::scene {

inline uint16_t to_half(float value) {
  const auto bits = bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<uint16_t>(sign | 0x7E00u);   // NaN
  if (magnitude >= 0x477FF000u) return static_cast<uint16_t>(sign | 0x7C00u);  // rounds to infinity
  if (magnitude < 0x38800000u) {  // subnormal: adding 0.5 lets the addition round at the right bit
    const auto shifted = bit_cast<uint32_t>(bit_cast<float>(magnitude) + 0.5f);
    return static_cast<uint16_t>(sign | (shifted - 0x3F000000u));
  }
  const uint32_t rounded = magnitude + 0xFFFu + (magnitude >> 13 & 1u);
  return static_cast<uint16_t>(sign | (rounded - 0x38000000u) >> 13);
}

}  // namespace seamscope::scene
