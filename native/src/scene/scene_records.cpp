#include "scene/scene_records.hpp"

#include <algorithm>
#include <cstring>

#include "scene/tiles.hpp"
#include "scene/world.hpp"

namespace seamscope::scene {
namespace {

constexpr uint32_t kFirstId = 2;  // 0 is the sky, 1 the floor

float bits_as_float(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

Float4 with_w(Vec3 v, float w) {
  return {v.x, v.y, v.z, w};
}
Float4 look(const Material& m) {
  return {m.metal, m.gloss, m.emission, m.stripes};
}

// The side that is shorter for its shape keeps the whole platform in the picture.
SceneView make_view(const Camera& camera, Vec3 sun, uint32_t width, uint32_t height) {
  const float w = static_cast<float>(width), h = static_cast<float>(height);
  const float up = std::max(0.36f, 0.64f * h / w), across = up * w / h;
  SceneView view;
  view.eye = with_w(camera.eye, 0);
  view.right = with_w(camera.right, 0);
  view.up = with_w(camera.up, 0);
  view.forward = with_w(camera.forward, 0);
  view.sun = with_w(sun, 0);
  view.lens = {2 * across / w, -across, -2 * up / h, up};
  view.width = width;
  view.height = height;
  return view;
}

SphereRecord record(const Sphere& sphere, const Camera& camera, uint32_t id) {
  const Vec3 d = sphere.center - camera.eye;
  SphereRecord out;
  out.eye_space = {dot(d, camera.right), dot(d, camera.up), dot(d, camera.forward),
                   dot(d, d) - sphere.radius * sphere.radius};
  out.world = with_w(sphere.center, sphere.radius);
  out.albedo = with_w(sphere.material.albedo, bits_as_float(id));
  out.look = look(sphere.material);
  return out;
}

// Never zero, so that its inverse is finite.
float away_from_zero(float v) {
  return std::abs(v) < 1e-4f ? 1e-4f : v;
}

BoxRecord record(const Box& box, const Camera& camera, Vec3 sun, uint32_t id) {
  const float c = std::cos(box.turn), s = std::sin(box.turn);
  const auto turned = [&](Vec3 v) { return Vec3{v.x * c - v.z * s, v.y, v.x * s + v.z * c}; };
  const Vec3 lit = turned(sun);
  BoxRecord out;
  out.world = with_w(box.center, 0.5f * (box.half.x + box.half.z));
  out.albedo = with_w(box.material.albedo, bits_as_float(id));
  out.look = look(box.material);
  out.size = with_w(box.half, c);
  out.lit = {1 / away_from_zero(lit.x), 1 / away_from_zero(lit.y), 1 / away_from_zero(lit.z), s};
  out.eye = with_w(turned(camera.eye - box.center), 0);
  return out;
}

}  // namespace

void update_scene(SceneState& state, uint64_t frame, uint32_t width, uint32_t height) {
  const World world = world_at(static_cast<double>(frame) / 60.0);
  state.view = make_view(world.camera, world.sun, width, height);
  uint32_t id = kFirstId;
  for (size_t i = 0; i < world.spheres.size(); ++i)
    state.objects.spheres[i] = record(world.spheres[i], world.camera, id++);
  for (size_t i = 0; i < world.boxes.size(); ++i)
    state.objects.boxes[i] = record(world.boxes[i], world.camera, world.sun, id++);
  sort_tiles(state, world);
}

}  // namespace seamscope::scene
