#version 450
#extension GL_GOOGLE_include_directive : require
// Counts the words of a slot that carry the pattern of a frame into totals[total].

#include "seam_pattern.glsl"

layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) readonly buffer Slot { uint words[]; };
layout(std430, set = 0, binding = 1) buffer Totals { uint totals[]; };
layout(push_constant) uniform Push { uint count, frame, total; };

shared uint sum;

void main() {
  if (gl_LocalInvocationIndex == 0) sum = 0;
  barrier();
  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  uint matches = 0;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += step) matches += uint(words[i] == pattern(i, frame));
  atomicAdd(sum, matches);
  barrier();
  if (gl_LocalInvocationIndex == 0) atomicAdd(totals[total], sum);
}
