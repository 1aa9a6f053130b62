#pragma once
// Bit patterns of the narrow and packed number formats. Mirrored in native/shaders; see view_math.hpp for the order of
// steps.

#include <cstdint>

#include "base/bit_cast.hpp"

namespace seamscope::decode {

// Branch-free, so that loops over it become vector code: rescales the exponent with one multiplication (exact for
// subnormals too) and puts all-ones exponents back.
inline float f16(uint16_t bits) {
  const uint32_t magnitude = static_cast<uint32_t>(bits & 0x7FFFu) << 13;
  const uint32_t scaled = bit_cast<uint32_t>(bit_cast<float>(magnitude) * 0x1p112f);
  const uint32_t special = magnitude >= (0x7C00u << 13) ? 0x7F800000u : 0u;
  return bit_cast<float>(scaled | special | static_cast<uint32_t>(bits & 0x8000u) << 16);
}

inline float bf16(uint16_t bits) {
  return bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// Unsigned floats of 5 exponent bits: `mantissa_bits` is 6 (11-bit) or 5 (10-bit). They are halves without sign and low
// mantissa bits.
inline float unsigned_float(uint32_t bits, uint32_t mantissa_bits) {
  return f16(static_cast<uint16_t>(bits << (10u - mantissa_bits)));
}

// Red in bits 0..10, green in 11..21, blue in 22..31 (VK_FORMAT_B10G11R11_UFLOAT_PACK32).
inline float r11g11b10f(uint32_t texel, uint32_t channel) {
  if (channel == 0) return unsigned_float(texel & 0x7FFu, 6);
  if (channel == 1) return unsigned_float((texel >> 11) & 0x7FFu, 6);
  return unsigned_float(texel >> 22, 5);
}

// Red in bits 0..9, alpha in 30..31 (VK_FORMAT_A2B10G10R10_UNORM_PACK32); the integer, 0..1023 or 0..3.
inline uint32_t rgb10a2(uint32_t texel, uint32_t channel) {
  return channel < 3 ? (texel >> (10u * channel)) & 0x3FFu : texel >> 30;
}

// Depth in bits 0..23, stencil in 24..31. Division by a power of two minus one is rounded once: equal everywhere.
inline float d24(uint32_t texel) {
  return static_cast<float>(texel & 0xFFFFFFu) / 16777215.0f;
}
inline uint32_t s8(uint32_t texel) {
  return texel >> 24;
}

}  // namespace seamscope::decode
