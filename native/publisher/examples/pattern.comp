#version 450
// What the Vulkan example draws, see pattern.h. Compiled into pattern_spv.h:
// glslangValidator -V --vn pattern_spv -o pattern_spv.h pattern.comp
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D picture;
layout(push_constant) uniform Push { uint frame; };

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, imageSize(picture)))) return;
  uvec3 color = uvec3(at, frame) & 255u;
  imageStore(picture, at, vec4(vec3(color) / 255.0, 1.0));
}
