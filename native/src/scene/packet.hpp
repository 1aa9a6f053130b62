#pragma once
// The packets of four pixels that shaders/scene_math.glsl computes with, for C++: GCC's and Clang's vector types behind
// GLSL's names.

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "scene/scene_records.hpp"

namespace seamscope::scene::packet {

using uint = uint32_t;
using vec4 = Float4;
using Floats = float __attribute__((vector_size(16)));
using Ints = int32_t __attribute__((vector_size(16)));
using Uints = uint32_t __attribute__((vector_size(16)));

struct Mask4 {
  Ints v;  // all bits or none
};

struct Real4 {
  Floats v;

  Real4() = default;
  Real4(Floats all) : v(all) {}                // NOLINT(google-explicit-constructor): as in GLSL
  Real4(float one) : v{one, one, one, one} {}  // NOLINT(google-explicit-constructor): as in GLSL

  friend Real4 operator+(Real4 a, Real4 b) { return a.v + b.v; }
  friend Real4 operator-(Real4 a, Real4 b) { return a.v - b.v; }
  friend Real4 operator*(Real4 a, Real4 b) { return a.v * b.v; }
  friend Real4 operator/(Real4 a, Real4 b) { return a.v / b.v; }
  Real4 operator-() const { return -v; }
  Real4& operator*=(Real4 b) { return *this = *this * b; }
};

struct Uint4 {
  Uints v;

  Uint4() = default;
  Uint4(Uints all) : v(all) {}  // NOLINT(google-explicit-constructor): as in GLSL
  explicit Uint4(uint one) : v{one, one, one, one} {}
  explicit Uint4(Real4 a) : v(Uints(__builtin_convertvector(a.v, Ints))) {}  // below 2^31, not negative

  friend Uint4 operator|(Uint4 a, Uint4 b) { return a.v | b.v; }
  friend Uint4 operator<<(Uint4 a, int bits) { return a.v << static_cast<uint>(bits); }
};

struct Vec3x4 {
  Real4 c[3];

  Vec3x4() = default;
  Vec3x4(Real4 x, Real4 y, Real4 z) : c{x, y, z} {}
  Real4& operator[](int i) { return c[i]; }
  const Real4& operator[](int i) const { return c[i]; }
  friend Vec3x4 operator+(const Vec3x4& a, const Vec3x4& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
  friend Vec3x4 operator-(const Vec3x4& a, const Vec3x4& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
};

inline Mask4 lessThan(Real4 a, Real4 b) {
  return {a.v < b.v};
}
inline Mask4 both(Mask4 a, Mask4 b) {
  return {a.v & b.v};
}

inline float min(float a, float b) {
  return b < a ? b : a;
}
inline float abs(float a) {
  return std::fabs(a);
}
inline Real4 min(Real4 a, Real4 b) {
  return b.v < a.v ? b.v : a.v;
}
inline Real4 max(Real4 a, Real4 b) {
  return a.v < b.v ? b.v : a.v;
}
inline Real4 abs(Real4 a) {
  return Floats(Uints(a.v) & 0x7FFFFFFFu);
}
inline Real4 clamp(Real4 a, float low, float high) {
  return min(max(a, low), high);
}
inline Real4 mix(Real4 a, Real4 b, Real4 k) {
  return a + (b - a) * k;
}
inline Real4 mix(Real4 a, Real4 b, Mask4 m) {
  return m.v ? b.v : a.v;
}
inline Uint4 mix(Uint4 a, Uint4 b, Mask4 m) {
  return m.v ? b.v : a.v;
}

// For values that fit an int; SSE2 has no rounding instruction.
inline Real4 fract(Real4 a) {
  const Floats whole = __builtin_convertvector(__builtin_convertvector(a.v, Ints), Floats);
  const Floats rest = a.v - whole;
  return rest < 0.0f ? rest + 1.0f : rest;
}

// std::sqrt sets errno, which keeps compilers from using the vector instruction.
inline Real4 sqrt(Real4 a) {
#ifdef __SSE2__
  return Floats(_mm_sqrt_ps(a.v));
#else
  return Floats{std::sqrt(a.v[0]), std::sqrt(a.v[1]), std::sqrt(a.v[2]), std::sqrt(a.v[3])};
#endif
}

inline uint lowest_bit(uint mask) {
  return static_cast<uint>(__builtin_ctz(mask));
}

inline uint float_bits(float value) {
  uint bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace seamscope::scene::packet
