#pragma once
// The scalar formulae of the view pass. The C++ pass and the GLSL pass (native/shaders) both implement exactly this
// text.
//
// One picture pixel is computed in this order:
//   1 taps       axis_taps.hpp gives each picture column and row the texels it covers and their weights. Both passes
//   use the same tables.
//                No texel covered: the pixel is (0, 0, 0, 0) and nothing below applies. Otherwise its alpha is 255.
//   2 decode     stored bits to float32. Colour frames (sRGB, linear): unsigned integers and RGB10A2 are divided by
//   their largest value.
//                Data frames: integers keep their value, and so do signed ones everywhere. D24S8 shows its depth, in
//                0..1. Bool is 0 or 1. swap_rb exchanges channels 0 and 2 here. Shown are the first
//                shown_channels(desc) (passes.hpp).
//   3 flags      per covered texel, over the shown channels but alpha: NaN, Inf (either sign), negative (finite, below
//   zero).
//                The pixel's flags are the union over all covered texels: a single bad texel marks at least one pixel.
//   4 linear     sRGB frames: srgb_decode of each channel but alpha.
//   5 filter     NaN counts as 0, +Inf as 65504, -Inf as -65504. Weighted mean of the covered texels; columns first,
//   then rows.
//                Where an axis is not minified it covers exactly one texel, which is nearest. Pictures of identifiers
//                (false colour "ids") never average: they take the texel in the middle of the covered ones, first +
//                count / 2.
//   6 range      data frames only: v = (v - low) / (high - low), or 0 when high <= low. Colour frames keep v.
//   7 exposure   v *= 2^exposure, all channels but alpha.
//   8 clip test  a channel but alpha is below -1/1024, or (data frames, and colour frames without tone map) above 1 +
//   1/1024. 9 tone map   colour frames only: reinhard or aces of v held within 0 and 1e9, each channel but alpha.
//  10 shape      1 channel: (v, v, v). 2 channels: colour frames (v, v, v) with alpha; data frames (v0, v1, 0). 3, 4:
//  as they are.
//                Alpha exists where has_alpha(desc) (passes.hpp); elsewhere it is 1.
//  11 mask       exactly one bit set in channel_mask: that channel as grey (alpha too). Otherwise missing colours
//  become 0. 12 colour     false colour none: (r, g, b). Otherwise s = luminance(r, g, b); for frames of one colour
//  channel s = v.
//                gray: (s, s, s); turbo, viridis: the map of curve(s), already display values: step 13 is skipped.
//                ids: palette(id of channel 0), labels: label_color of it; already bytes: steps 6 to 11 and 13 are
//                skipped.
//                bool: step 5 averages 0 or 1 for "is not 0"; steps 6 to 9 are skipped and the picture is grey data.
//                normal: integers are divided by their largest value in step 2, step 4 and steps 6 to 9 are skipped;
//                components, in 0..1 for unsigned integers and in -1..1 otherwise, become normal_value; two channels
//                get the third_component. Display values: step 13 is skipped. motion: motion_color of channels 0 and 1
//                times 2^exposure over the range's high end (the largest magnitude of the frame); steps 6 to 11 and 13
//                are skipped. diverging: as luminance, but of 2 v - 1 a channel (colours that step 11 left out give 0);
//                step 7 scales around the middle of the range, which for lack of one is as far below 0 as above.
//                diverging_color of it: step 13 is skipped.
//  13 encode     curve(v) = pow(clamp01(v), 1 / gamma); then srgb_encode for colour frames; data frames show curve(v)
//  itself. 14 quantise   byte = floor(255 * v + 0.5). 15 overlays   the first that applies replaces the colour:
//  overlay_nan: NaN; overlay_inf: Inf; overlay_negative: negative, of kind colour, HDR and depth, but not in pictures
//  of normals and motion;
//                overlay_clip: above, then below, as found by step 8.
// Flags of step 3 are not raised for pictures of identifiers.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "preview/frame.hpp"

namespace seamscope::view_math {

struct Rgb8 {
  uint8_t r, g, b;
  bool operator==(const Rgb8&) const = default;
};

// Where one colour of a picture comes from: a channel (0 to 3), or one of these.
inline constexpr int kZero = -1, kOne = -2, kThird = -3;

inline constexpr Rgb8 kNan{255, 0, 0};
inline constexpr Rgb8 kInf{0, 255, 0};
inline constexpr Rgb8 kNegative{0, 0, 255};
inline constexpr Rgb8 kAbove{255, 0, 255};
inline constexpr Rgb8 kBelow{0, 160, 255};
inline constexpr float kClipSlack = 1.0f / 1024.0f;
inline constexpr float kToneMapMost = 1e9f;     // both curves are 1 long before; squares of more would overflow
inline constexpr float kInfStandIn = 65504.0f;  // the largest half: bright, and a mean of it stays finite

inline float clamp01(float v) {
  return v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f;
}

inline float srgb_decode(float v) {
  return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}
inline float srgb_encode(float v) {
  return v <= 0.0031308f ? v * 12.92f : 1.055f * std::pow(v, 1.0f / 2.4f) - 0.055f;
}

inline float reinhard(float v) {
  return v / (1.0f + v);
}
// Narkowicz's fit of the ACES filmic curve.
inline float aces(float v) {
  return clamp01(v * (2.51f * v + 0.03f) / (v * (2.43f * v + 0.59f) + 0.14f));
}

inline float tone_map(ToneMap map, float v) {
  if (map == ToneMap::None) return v;
  const float positive = v > 0.0f ? (v < kToneMapMost ? v : kToneMapMost) : 0.0f;
  return map == ToneMap::Reinhard ? reinhard(positive) : aces(positive);
}

inline float luminance(float r, float g, float b) {
  return 0.2126f * r + 0.7152f * g + 0.0722f * b;
}
inline float curve(float v, float gamma) {
  return gamma == 1.0f ? clamp01(v) : std::pow(clamp01(v), 1.0f / gamma);
}
inline uint8_t quantise(float v) {
  return static_cast<uint8_t>(255.0f * clamp01(v) + 0.5f);
}

// Coefficients of powers 0 to 6, for red, green and blue.
using Polynomial = std::array<std::array<float, 7>, 3>;

// Mikhailov's polynomial for turbo.
inline constexpr Polynomial kTurbo{{
    {0.13572138f, 4.61539260f, -42.66032258f, 132.13108234f, -152.94239396f, 59.28637943f, 0.0f},
    {0.09140261f, 2.19418839f, 4.84296658f, -14.18503333f, 4.27729857f, 2.82956604f, 0.0f},
    {0.10667330f, 12.64194608f, -60.58204836f, 110.36276771f, -89.90310912f, 27.34824973f, 0.0f},
}};
// Zucker's polynomial for matplotlib's viridis.
inline constexpr Polynomial kViridis{{
    {0.27772733f, 0.10509304f, -0.33086183f, -4.63423050f, 6.22826994f, 4.77638500f, -5.43545586f},
    {0.00540734f, 1.40461353f, 0.21484756f, -5.79910097f, 14.17993337f, -13.74514538f, 4.64585261f},
    {0.33409981f, 1.38459016f, 0.09509516f, -19.33244096f, 56.69055260f, -65.35303263f, 26.31243525f},
}};

// s in 0..1; display values in 0..1.
inline std::array<float, 3> color_map(const Polynomial& map, float s) {
  std::array<float, 3> out{};
  for (size_t c = 0; c < 3; ++c) {
    float v = map[c][6];
    for (int power = 5; power >= 0; --power) v = v * s + map[c][static_cast<size_t>(power)];
    out[c] = clamp01(v);
  }
  return out;
}

// An identifier's 32-bit key: its low word, mixed with the high word of 64-bit identifiers (0 for narrower ones).
inline uint32_t id_key(uint32_t low, uint32_t high) {
  return low ^ (high * 0x9E3779B9u);
}

// Wellons' lowbias32.
inline uint32_t hash32(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

// The table of PASCAL VOC: neighbouring class numbers differ in the high bits of their colours. Class 0 is black.
inline Rgb8 label_color(uint32_t key) {
  Rgb8 color{0, 0, 0};
  for (uint32_t bit = 0; bit < 3; ++bit) {
    color.r = static_cast<uint8_t>(color.r | ((key >> (3 * bit)) & 1u) << (7 - bit));
    color.g = static_cast<uint8_t>(color.g | ((key >> (3 * bit + 1)) & 1u) << (7 - bit));
    if (bit < 2) color.b = static_cast<uint8_t>(color.b | ((key >> (3 * bit + 2)) & 1u) << (7 - bit));
  }
  return color;
}

// Components of a unit vector in -1..1 to display values.
inline float normal_value(float component) {
  return clamp01(component * 0.5f + 0.5f);
}
inline float third_component(float x, float y) {
  const float rest = 1.0f - x * x - y * y;
  return rest > 0.0f ? std::sqrt(rest) : 0.0f;
}

// Direction as hue (to the right: red; downwards: yellow-green), length as saturation: white at rest.
inline std::array<float, 3> motion_color(float x, float y) {
  const float hue = std::atan2(y, x) * 0.954929659f;  // -3..3
  const float length = clamp01(std::sqrt(x * x + y * y));
  const float turned = hue < 0.0f ? hue + 6.0f : hue;
  const float high = std::fabs(turned - 3.0f) - 1.0f, green = 2.0f - std::fabs(turned - 2.0f),
              blue = 2.0f - std::fabs(turned - 4.0f);
  return {1.0f - length * (1.0f - clamp01(high)), 1.0f - length * (1.0f - clamp01(green)),
          1.0f - length * (1.0f - clamp01(blue))};
}

// d in -1..1: black where nothing differs, towards red above, towards blue below.
inline std::array<float, 3> diverging_color(float d, float gamma) {
  const float m = curve(std::fabs(d), gamma);
  if (d > 0.0f) return {m, 0.3f * m, 0.18f * m};
  return {0.16f * m, 0.47f * m, m};
}

// A colour that depends on the key alone, so that an object keeps it from frame to frame; key 0 is the background,
// black. Integer HSV with saturation 115..217 and value 166..255: exact in both implementations.
inline Rgb8 palette(uint32_t key) {
  if (key == 0) return {0, 0, 0};
  const uint32_t h = hash32(key);
  const uint32_t hue = (h & 0xFFFFu) * 6u, sector = hue >> 16, f = (hue >> 8) & 0xFFu;
  const uint32_t s = 115u + ((h >> 16) & 0xFFu) * 102u / 255u, v = 166u + (h >> 24) * 89u / 255u;
  const auto p = static_cast<uint8_t>(v * (255u - s) / 255u);
  const auto q = static_cast<uint8_t>(v * (65025u - s * f) / 65025u);
  const auto t = static_cast<uint8_t>(v * (65025u - s * (255u - f)) / 65025u);
  const auto top = static_cast<uint8_t>(v);
  switch (sector) {
    case 0:
      return {top, t, p};
    case 1:
      return {q, top, p};
    case 2:
      return {p, top, t};
    case 3:
      return {p, q, top};
    case 4:
      return {t, p, top};
    default:
      return {top, p, q};
  }
}

}  // namespace seamscope::view_math
