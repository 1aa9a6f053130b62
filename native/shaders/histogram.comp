#version 450
// The distribution of the numbers of one band of rows. See preview/gpu_histogram.hpp.
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Frame { uint words[]; } frame;
layout(std430, binding = 1) buffer Results {
  uint below, above, finite, unused;
  uint bins[256];
  float sums[];  // one a group
} results;

layout(push_constant) uniform Band {
  uint base, row_stride, pixel_stride, channel_stride;  // bytes; base is that of the band's first number
  uint width, rows, channels, unused;
  float low, high, scale, unused_too;
} band;

#include "decode.glsl"
#include "special.glsl"
DEFINE_LOAD(load_number, frame.words)

shared uint bins[256];
shared float sums[256];
shared uint counts[3];  // below, above, finite

void main() {
  uint self = gl_LocalInvocationID.x;
  bins[self] = 0u;
  if (self < 3u) counts[self] = 0u;
  barrier();
  float sum = 0.0;
  uint below = 0u, above = 0u, finite = 0u;
  uint step = gl_NumWorkGroups.x * 256u;
  for (uint y = gl_WorkGroupID.y; y < band.rows; y += gl_NumWorkGroups.y) {
    for (uint x = gl_GlobalInvocationID.x; x < band.width; x += step) {
      uint at = band.base + y * band.row_stride + x * band.pixel_stride;
      for (uint c = 0u; c < band.channels; ++c, at += band.channel_stride) {
        Stored number = load_number(at, c);
        uint bits = value_bits(number, c);
        if ((kFloats && is_nan(bits)) || infinite_number(number, bits)) continue;
        float v = uintBitsToFloat(bits);
        ++finite;
        sum += v;
        if (v < band.low) {
          ++below;
        } else if (v > band.high) {
          ++above;
        } else {
          precise float bin = (v - band.low) * band.scale;
          atomicAdd(bins[bin < 255.0 ? uint(bin) : 255u], 1u);
        }
      }
    }
  }
  sums[self] = sum;
  atomicAdd(counts[0], below);
  atomicAdd(counts[1], above);
  atomicAdd(counts[2], finite);
  barrier();
  for (uint half_size = 128u; half_size > 0u; half_size >>= 1) {
    if (self < half_size) sums[self] += sums[self + half_size];
    barrier();
  }
  if (bins[self] != 0u) atomicAdd(results.bins[self], bins[self]);
  if (self != 0u) return;
  atomicAdd(results.below, counts[0]);
  atomicAdd(results.above, counts[1]);
  atomicAdd(results.finite, counts[2]);
  results.sums[gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x] += sums[0];
}
