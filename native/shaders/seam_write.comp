#version 450
#extension GL_GOOGLE_include_directive : require
// Writes the pattern of a frame into a slot.

#include "seam_pattern.glsl"

layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) writeonly buffer Slot { uint words[]; };
layout(std430, set = 0, binding = 1) buffer Totals { uint totals[]; };
layout(push_constant) uniform Push { uint count, frame, total; };

void main() {
  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += step) words[i] = pattern(i, frame);
}
