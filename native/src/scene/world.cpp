#include "scene/world.hpp"

#include <algorithm>

namespace seamscope::scene {
namespace {

constexpr double kTau = 6.283185307179586;

// Reduced in double precision, so that the motion stays smooth after days.
float phase(double seconds, double turns_per_second, double offset_turns = 0) {
  const double turns = seconds * turns_per_second + offset_turns;
  return static_cast<float>((turns - std::floor(turns)) * kTau);
}

// Linear colour of a hue in turns; `pale` 0..1 takes it towards white.
Vec3 hue(float turns, float pale) {
  const auto channel = [&](float shift) {
    const float wave = 0.5f + 0.5f * std::cos((turns + shift) * static_cast<float>(kTau));
    return 0.03f + 0.82f * (wave * wave * (1 - pale) + pale);
  };
  return {channel(0), channel(-1.0f / 3), channel(1.0f / 3)};
}

Vec3 on_circle(float radius, float angle, float height) {
  return {radius * std::cos(angle), height, radius * std::sin(angle)};
}

// A chrome globe above a turning pedestal, and embers on tilted orbits around it.
void add_centre(World& world, double seconds) {
  world.boxes.push_back(
      {{0, 0.3f, 0}, {1.05f, 0.3f, 1.05f}, phase(seconds, 0.03), {{0.55f, 0.33f, 0.16f}, 0.85f, 0.7f}});
  const Vec3 globe{0, 2.15f + 0.18f * std::sin(phase(seconds, 0.21)), 0};
  world.spheres.push_back({globe, 1.2f, {{0.93f, 0.93f, 0.95f}, 1.0f, 1.0f}});
  for (int i = 0; i < 6; ++i) {
    const float angle = phase(seconds, 0.19, i / 6.0);
    const Vec3 flat = on_circle(1.85f, angle, 0);
    const Vec3 ember = globe + Vec3{flat.x, 0.9f * std::sin(angle + static_cast<float>(i) * 1.7f), flat.z};
    world.spheres.push_back({ember, 0.13f, {{1.0f, 0.20f, 0.03f}, 0, 0.1f, 5.5f}});
  }
}

// Balls that bounce in a wave, every third one striped, every third one of metal.
void add_bouncing_ring(World& world, double seconds) {
  for (int i = 0; i < 12; ++i) {
    const float r = i % 3 == 1 ? 0.52f : 0.42f;
    const float hop = std::abs(std::sin(0.5f * phase(seconds, 0.6, i / 6.0)));
    const Vec3 at = on_circle(3.6f, phase(seconds, 0.035, i / 12.0), r + 1.1f * hop);
    Material material{hue(static_cast<float>(i) / 12, 0.02f), 0, 0.75f};
    if (i % 3 == 0) material.stripes = 3;
    if (i % 3 == 1) material.metal = 1, material.gloss = 0.9f, material.albedo = hue(static_cast<float>(i) / 12, 0.45f);
    world.spheres.push_back({at, r, material});
  }
}

// Blocks of different height that rise and sink, like the bars of an equaliser.
void add_towers(World& world, double seconds) {
  for (int i = 0; i < 16; ++i) {
    const float angle = phase(seconds, -0.012, i / 16.0);
    const float height = 0.55f + 0.5f * std::sin(phase(seconds, 0.11, i * 0.31)) + (i % 4 == 0 ? 0.8f : 0.15f);
    const float side = i % 2 ? 0.3f : 0.42f;
    const Vec3 at = on_circle(6.1f, angle, height * 0.5f);
    const Material stone{hue(0.50f + 0.03f * static_cast<float>(i), i % 2 ? 0.22f : 0.05f), 0, 0.5f};
    world.boxes.push_back({at, {side, height * 0.5f, side}, -angle + phase(seconds, 0.02, i * 0.1), stone});
  }
}

// Small lamps that roll along the edge.
void add_lamps(World& world, double seconds) {
  for (int i = 0; i < 10; ++i) {
    const Vec3 at = on_circle(7.55f, phase(seconds, 0.05, i / 10.0), 0.24f);
    const bool lamp = i % 2 == 0;
    const Material material =
        lamp ? Material{{0.06f, 0.85f, 0.50f}, 0, 0.2f, 2.6f} : Material{{0.95f, 0.72f, 0.28f}, 1, 0.95f};
    world.spheres.push_back({at, 0.24f, material});
  }
}

Camera orbit(double seconds) {
  const float height = 4.3f + 0.9f * std::sin(phase(seconds, 0.031));
  Camera camera;
  camera.eye = on_circle(13.4f, phase(seconds, 0.017, 0.16), height);
  camera.forward = normalized(Vec3{0, 0.75f, 0} - camera.eye);
  camera.right = normalized(cross(camera.forward, Vec3{0, 1, 0}));
  camera.up = cross(camera.right, camera.forward);
  return camera;
}

}  // namespace

World world_at(double seconds) {
  World world;
  add_centre(world, seconds);
  add_bouncing_ring(world, seconds);
  add_towers(world, seconds);
  add_lamps(world, seconds);
  world.camera = orbit(seconds);
  world.sun = normalized({-0.62f, 0.56f, 0.55f});
  return world;
}

}  // namespace seamscope::scene
