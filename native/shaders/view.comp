#version 450
// The view pass: one invocation computes one picture pixel, in the order that preview/view_math.hpp numbers. See preview/gpu_view.hpp.
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 16, local_size_y = 8) in;

struct Tap {
  int first, count;
  float head, tail;
};

// One window a channel, because the planes of a planar frame may lie further apart than a binding reaches.
layout(std430, binding = 0) readonly buffer Channel0 { uint words[]; } channel0;
layout(std430, binding = 1) readonly buffer Channel1 { uint words[]; } channel1;
layout(std430, binding = 2) readonly buffer Channel2 { uint words[]; } channel2;
layout(std430, binding = 3) readonly buffer Channel3 { uint words[]; } channel3;
layout(std430, binding = 4) readonly buffer Taps { Tap all[]; } taps;  // the columns', then the rows'
layout(std430, binding = 5) writeonly buffer Picture { uint pixels[]; } picture;

layout(push_constant) uniform View {
  uvec4 base;                             // byte of the channel's first number in its window
  uint row_stride, pixel_stride;          // bytes
  int row_origin, row_sign;               // displayed row y is row (y - row_origin) * row_sign of the windows
  uint width, height, first_row, rows;    // of the picture; the band's rows
  uint channels, colors, options, flags;  // options: kOption...; flags: those that are shown
  ivec4 sources;                          // of red, green, blue: a channel, or as view_math.hpp numbers the others
  float scale, offset, inv_gamma;
  uint false_color;                       // as preview/frame.hpp numbers them
} view;

const uint kOptionNormalised = 1u, kOptionSrgb = 2u, kOptionData = 4u, kOptionClip = 8u, kOptionReinhard = 16u, kOptionAces = 32u,
           kOptionThird = 64u,  // identifiers are in the third channel
           kOptionTruth = 128u, kOptionUnit = 256u, kOptionUnsigned = 512u;
const uint kFlagNan = 1u, kFlagInf = 2u, kFlagNegative = 4u;
const uint kFalseGray = 1u, kFalseTurbo = 2u, kFalseViridis = 3u, kFalseLabels = 5u, kFalseBool = 6u, kFalseNormal = 7u, kFalseMotion = 8u,
           kFalseDiverging = 9u;
const int kSourceOne = -2, kSourceThird = -3;

layout(constant_id = 2) const bool kIds = false;

#include "decode.glsl"
#include "view_math.glsl"
DEFINE_LOAD(load0, channel0.words)
DEFINE_LOAD(load1, channel1.words)
DEFINE_LOAD(load2, channel2.words)
DEFINE_LOAD(load3, channel3.words)

bool option(uint bit) { return (view.options & bit) != 0u; }

uint texel_offset(int x, int y) { return uint((y - view.row_origin) * view.row_sign) * view.row_stride + uint(x) * view.pixel_stride; }

// Steps 2 to 4 for one number; raises flags of colours.
float shown_value(Stored number, uint channel, bool is_color, inout uint flags) {
  uint bits = value_bits(number, channel);
  if (is_nan(bits)) {
    if (is_color) flags |= kFlagNan;
    return 0.0;
  }
  if (is_infinite(bits)) {
    if (is_color) flags |= kFlagInf;
    if (option(kOptionTruth)) return 1.0;
    return (bits & 0x80000000u) != 0u ? -kInfStandIn : kInfStandIn;
  }
  float v = uintBitsToFloat(bits);
  if (is_color && is_negative(bits)) flags |= kFlagNegative;
  if (option(kOptionNormalised)) {
    if (kDtype == kU8) v /= 255.0;
    if (kDtype == kU16) v /= 65535.0;
    if (kDtype == kU32) v /= 4294967295.0;
    if (kDtype == kRGB10A2) v /= channel == 3u ? 3.0 : 1023.0;
  }
  if (option(kOptionUnit)) {
    if (kDtype == kI8) v /= 127.0;
    if (kDtype == kI16) v /= 32767.0;
    if (kDtype == kI32) v /= 2147483647.0;
  }
  if (option(kOptionTruth)) return (bits & 0x7FFFFFFFu) != 0u ? 1.0 : 0.0;
  return is_color && option(kOptionSrgb) ? srgb_decode(v) : v;
}

vec4 texel_at(uint at, inout uint flags) {
  vec4 v = vec4(0.0);
  v.x = shown_value(load0(view.base.x + at, 0u), 0u, 0u < view.colors, flags);
  if (view.channels > 1u) v.y = shown_value(load1(view.base.y + at, 1u), 1u, 1u < view.colors, flags);
  if (view.channels > 2u) v.z = shown_value(load2(view.base.z + at, 2u), 2u, 2u < view.colors, flags);
  if (view.channels > 3u) v.w = shown_value(load3(view.base.w + at, 3u), 3u, 3u < view.colors, flags);
  return v;
}

float weight_of(Tap tap, int i) { return i == 0 ? tap.head : i == tap.count - 1 ? tap.tail : 1.0; }
float total_weight(Tap tap) { return tap.count < 2 ? tap.head : tap.head + tap.tail + float(tap.count - 2); }

// Step 5.
vec4 filtered(Tap column, Tap row, out uint flags) {
  flags = 0u;
  if (column.count == 1 && row.count == 1) return texel_at(texel_offset(column.first, row.first), flags);
  vec4 sum = vec4(0.0);
  for (int j = 0; j < row.count; ++j) {
    uint at = texel_offset(column.first, row.first + j);
    vec4 line = vec4(0.0);
    for (int i = 0; i < column.count; ++i, at += view.pixel_stride) line += weight_of(column, i) * texel_at(at, flags);
    sum += weight_of(row, j) * line;
  }
  return sum / (total_weight(column) * total_weight(row));
}

float source(vec4 v, int from) {
  if (from == 0) return v.x;
  if (from == 1) return v.y;
  if (from == 2) return v.z;
  if (from == 3) return v.w;
  return from == kSourceOne ? 1.0 : 0.0;
}

// 1 above, -1 below, 0 neither: step 8.
int clipped(vec4 v) {
  int found = 0;
  bool bounded = !option(kOptionReinhard | kOptionAces);
  for (uint c = 0u; c < 4u; ++c) {
    if (c >= view.colors) break;
    if (bounded && v[c] > 1.0 + kClipSlack) found = 1;
    if (v[c] < -kClipSlack && found == 0) found = -1;
  }
  return found;
}

float tone_mapped(float v) {
  if (option(kOptionReinhard)) return reinhard(clamp(v, 0.0, kToneMapMost));
  if (option(kOptionAces)) return aces(clamp(v, 0.0, kToneMapMost));
  return v;
}

uint encoded(float v) {
  float c = curve(v, view.inv_gamma);
  return quantise(option(kOptionData) ? c : srgb_encode(c));
}

float component(float v) { return option(kOptionUnsigned) ? 2.0 * v - 1.0 : v; }

uint normal_byte(vec4 v, int from) {
  if (from == kSourceThird) return quantise(normal_value(third_component(component(v.x), component(v.y))));
  return quantise(from < 0 ? source(v, from) : normal_value(component(source(v, from))));
}

// A channel's distance from the middle of the range, -1 to 1.
float apart(vec4 v, int from) { return from < 0 ? 0.0 : 2.0 * source(v, from) - 1.0; }

// Steps 10 to 14.
uint colored(vec4 v) {
  if (view.false_color == kFalseNormal) return pack(normal_byte(v, view.sources.x), normal_byte(v, view.sources.y), normal_byte(v, view.sources.z));
  if (view.false_color == kFalseMotion) {
    vec3 color = motion_color(v.x, view.colors > 1u ? v.y : 0.0);
    return pack(quantise(color.r), quantise(color.g), quantise(color.b));
  }
  if (view.false_color == kFalseDiverging) {
    float d = view.colors == 1u ? 2.0 * v.x - 1.0
                                : luminance(vec3(apart(v, view.sources.x), apart(v, view.sources.y), apart(v, view.sources.z)));
    vec3 color = diverging_color(d, view.inv_gamma);
    return pack(quantise(color.r), quantise(color.g), quantise(color.b));
  }
  vec3 rgb = vec3(source(v, view.sources.x), source(v, view.sources.y), source(v, view.sources.z));
  if (view.false_color == 0u) return pack(encoded(rgb.r), encoded(rgb.g), encoded(rgb.b));
  float s = view.colors == 1u ? v.x : luminance(rgb);
  if (view.false_color == kFalseGray || view.false_color == kFalseBool) {
    uint gray = encoded(s);
    return pack(gray, gray, gray);
  }
  float at = curve(s, view.inv_gamma);
  vec3 mapped = view.false_color == kFalseTurbo ? color_map(kTurbo, at) : color_map(kViridis, at);
  return pack(quantise(mapped.r), quantise(mapped.g), quantise(mapped.b));
}

// Steps 6 to 15.
uint finished(vec4 v, uint flags) {
  for (uint c = 0u; c < 4u; ++c)
    if (c < view.colors) v[c] = v[c] * view.scale + view.offset;
  int clip = option(kOptionClip) ? clipped(v) : 0;
  for (uint c = 0u; c < 4u; ++c)
    if (c < view.colors) v[c] = tone_mapped(v[c]);
  flags &= view.flags;
  if ((flags & kFlagNan) != 0u) return pack(255u, 0u, 0u);
  if ((flags & kFlagInf) != 0u) return pack(0u, 255u, 0u);
  if ((flags & kFlagNegative) != 0u) return pack(0u, 0u, 255u);
  if (clip > 0) return pack(255u, 0u, 255u);
  if (clip < 0) return pack(0u, 160u, 255u);
  return colored(v);
}

// The lowest word of `mantissa` (high, low) times 2^shift, in two's complement.
uint integer_word(uint low, uint high, int shift, bool negative) {
  uint word = 0u;
  if (shift >= 0 && shift < 32) word = low << uint(shift);
  if (shift < 0 && shift > -32) word = low >> uint(-shift) | high << uint(32 + shift);
  if (shift <= -32 && shift > -64) word = high >> uint(-32 - shift);
  return negative ? ~word + 1u : word;
}

// An identifier stored as a float: cut to an integer, 0 beyond 9.2e18.
uint float_id(Stored number, uint channel) {
  if (kDtype == kF64) {
    uint exponent = number.high >> 20 & 0x7FFu;
    uint magnitude = number.high & 0x7FFFFFFFu;
    if (exponent < 1023u || magnitude > 0x43DFEB3Du || magnitude == 0x43DFEB3Du && number.low >= 0xD0676600u) return 0u;
    return integer_word(number.low, number.high & 0xFFFFFu | 0x100000u, int(exponent) - 1075, (number.high & 0x80000000u) != 0u);
  }
  uint bits = value_bits(number, channel), exponent = bits >> 23 & 0xFFu;
  if (exponent < 127u || exponent > 189u) return 0u;
  return integer_word(bits & 0x7FFFFFu | 0x800000u, 0u, int(exponent) - 150, (bits & 0x80000000u) != 0u);
}

uint id_color(Tap column, Tap row) {
  uint at = texel_offset(column.first + column.count / 2, row.first + row.count / 2);
  bool third = option(kOptionThird);
  Stored number;
  if (third) number = load2(view.base.z + at, 2u);
  else number = load0(view.base.x + at, 0u);
  uint key = kFloats ? float_id(number, third ? 2u : 0u) : id_key(number.low, number.high);
  return view.false_color == kFalseLabels ? label_color(key) : palette(key);
}

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= view.width || at.y >= view.rows) return;
  uint y = view.first_row + at.y;
  Tap column = taps.all[at.x], row = taps.all[view.width + y];
  uint pixel = 0u;
  if (column.count > 0 && row.count > 0) {
    if (kIds) {
      pixel = id_color(column, row);
    } else {
      uint flags;
      vec4 v = filtered(column, row, flags);
      pixel = finished(v, flags);
    }
  }
  picture.pixels[y * view.width + at.x] = pixel;
}
