#version 450
// The ingest pass: extremes and counts of the numbers of one band of rows. See preview/gpu_ingest.hpp.
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Frame { uint words[]; } frame;
layout(std430, binding = 1) buffer Results { uint least, greatest, nan, inf, negative; } results;

layout(push_constant) uniform Band {
  uint base, row_stride, pixel_stride, channel_stride;  // bytes; base is that of the band's first number
  uint width, rows, channels, unused;
} band;

#include "decode.glsl"
#include "special.glsl"
DEFINE_LOAD(load_number, frame.words)

shared uint least[256], greatest[256], nan[256], inf[256], negative[256];

// Keys order like the values: unsigned integers as they are, signed ones with the sign inverted, floats with all bits of negative ones
// inverted. 64-bit numbers are ordered by their float value, held within the finite ones.
uint order_key(Stored number, uint bits) {
  if (kSigned) return number.low ^ 0x80000000u;
  if (!kFloats && kDtype != kI64) return number.low;
  if (kDtype == kF64 && is_infinite(bits)) bits -= 1u;
  return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}

bool negative_number(Stored number, uint bits) {
  if (kDtype == kI64) return (number.high & 0x80000000u) != 0u;
  if (kDtype == kF64) return (number.high & 0x80000000u) != 0u && ((number.high & 0x7FFFFFFFu) | number.low) != 0u;
  return (kSigned || kFloats) && is_negative(bits);
}

void merge(uint into, uint from) {
  least[into] = min(least[into], least[from]);
  greatest[into] = max(greatest[into], greatest[from]);
  nan[into] += nan[from];
  inf[into] += inf[from];
  negative[into] += negative[from];
}

void main() {
  uint self = gl_LocalInvocationID.x;
  uint low = 0xFFFFFFFFu, high = 0u, nans = 0u, infs = 0u, negatives = 0u;
  uint step = gl_NumWorkGroups.x * 256u;
  for (uint y = gl_WorkGroupID.y; y < band.rows; y += gl_NumWorkGroups.y) {
    for (uint x = gl_GlobalInvocationID.x; x < band.width; x += step) {
      uint at = band.base + y * band.row_stride + x * band.pixel_stride;
      for (uint c = 0u; c < band.channels; ++c, at += band.channel_stride) {
        Stored number = load_number(at, c);
        uint bits = value_bits(number, c);
        bool not_a_number = kFloats && is_nan(bits);
        bool infinite = infinite_number(number, bits);
        nans += not_a_number ? 1u : 0u;
        infs += infinite ? 1u : 0u;
        if (not_a_number || infinite) continue;
        negatives += negative_number(number, bits) ? 1u : 0u;
        uint key = order_key(number, bits);
        low = min(low, key);
        high = max(high, key);
      }
    }
  }
  least[self] = low;
  greatest[self] = high;
  nan[self] = nans;
  inf[self] = infs;
  negative[self] = negatives;
  barrier();
  for (uint half_size = 128u; half_size > 0u; half_size >>= 1) {
    if (self < half_size) merge(self, self + half_size);
    barrier();
  }
  if (self != 0u) return;
  atomicMin(results.least, least[0]);
  atomicMax(results.greatest, greatest[0]);
  atomicAdd(results.nan, nan[0]);
  atomicAdd(results.inf, inf[0]);
  atomicAdd(results.negative, negative[0]);
}
