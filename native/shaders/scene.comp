#version 450
// The built-in scene on a GPU: one workgroup renders one tile of 16x16 pixels out of a list that the host has sorted into classes.
// Four pixels an invocation, because drivers that run shaders on the CPU pay dearly for every load of an object.
#extension GL_GOOGLE_include_directive : require

layout(local_size_x = 4, local_size_y = 16) in;

layout(constant_id = 0) const uint kOutputs = 1;      // bits: color, hdr, depth, ids
layout(constant_id = 1) const bool kHasFloor = true;  // the tile's class
layout(constant_id = 2) const bool kHasSpheres = true;
layout(constant_id = 3) const bool kHasBoxes = true;

struct Tile {
  uint spheres, boxes, shadow_spheres, shadow_boxes;
  uint x, y, unused0, unused1;  // of the top left pixel
};

layout(std140, binding = 0) uniform Objects { vec4 words[384]; } objects;
layout(std430, binding = 1) readonly buffer Tiles { Tile all[]; } tiles;
layout(std430, binding = 2) writeonly buffer Color { uint texels[]; } color_out;
layout(std430, binding = 3) writeonly buffer Hdr { uvec2 texels[]; } hdr_out;
layout(std430, binding = 4) writeonly buffer Depth { float texels[]; } depth_out;
layout(std430, binding = 5) writeonly buffer Ids { uint texels[]; } ids_out;

layout(push_constant) uniform SceneView {
  vec4 eye, right, up, forward, sun, lens;
  uint width, height, first_tile, unused;
} view;

#define Real4 vec4
#define Mask4 bvec4
#define Uint4 uvec4
#define Vec3x4 mat3x4
#define INOUT(type) inout type
#define PACKET_CONST const
#define sphere_word(i, k) objects.words[(i) * 4u + (k)]
#define box_word(i, k) objects.words[128u + (i) * 8u + (k)]
uint lowest_bit(uint m) { return uint(findLSB(m)); }
uint float_bits(float v) { return floatBitsToUint(v); }
bvec4 both(bvec4 a, bvec4 b) { return bvec4(a.x && b.x, a.y && b.y, a.z && b.z, a.w && b.w); }
#include "scene_math.glsl"

void store(uint texel, uint lane, uint color, vec3 radiance, float depth, uint id) {
  if ((kOutputs & 1u) != 0u) color_out.texels[texel + lane] = color;
  if ((kOutputs & 2u) != 0u)
    hdr_out.texels[texel + lane] = uvec2(packHalf2x16(radiance.xy), packHalf2x16(vec2(radiance.z, 1.0f)));
  if ((kOutputs & 4u) != 0u) depth_out.texels[texel + lane] = depth;
  if ((kOutputs & 8u) != 0u) ids_out.texels[texel + lane] = id;
}

void main() {
  Tile tile = tiles.all[view.first_tile + gl_WorkGroupID.x];
  uint x = tile.x + gl_LocalInvocationID.x * 4u, y = tile.y + gl_LocalInvocationID.y;
  Masks masks = Masks(tile.spheres, tile.boxes, tile.shadow_spheres, tile.shadow_boxes);
  Ray ray = ray_through(float(x) + vec4(0.5f, 1.5f, 2.5f, 3.5f), vec4(float(y) + 0.5f));
  bool shaded = (kOutputs & 3u) != 0u;
  Surface hit = see(ray, masks, kHasFloor, kHasSpheres, kHasBoxes, shaded);
  mat3x4 radiance = mat3x4(0.0f);
  if (shaded) radiance = packet_radiance(hit, ray, masks, kHasFloor, kHasSpheres || kHasBoxes);
  uvec4 color = (kOutputs & 1u) != 0u ? packed_color(radiance) : uvec4(0u);
  uint texel = y * view.width + x;
  if (y >= view.height) return;
  if (x + 0u < view.width) store(texel, 0u, color.x, vec3(radiance[0].x, radiance[1].x, radiance[2].x), hit.t.x, hit.id.x);
  if (x + 1u < view.width) store(texel, 1u, color.y, vec3(radiance[0].y, radiance[1].y, radiance[2].y), hit.t.y, hit.id.y);
  if (x + 2u < view.width) store(texel, 2u, color.z, vec3(radiance[0].z, radiance[1].z, radiance[2].z), hit.t.z, hit.id.z);
  if (x + 3u < view.width) store(texel, 3u, color.w, vec3(radiance[0].w, radiance[1].w, radiance[2].w), hit.t.w, hit.id.w);
}
