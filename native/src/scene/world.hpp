#pragma once
// What stands where at a moment: pure functions of time.

#include <vector>

#include "scene/vec3.hpp"

namespace seamscope::scene {

struct Material {
  Vec3 albedo;  // linear
  float metal = 0, gloss = 0.4f, emission = 0, stripes = 0;
};

struct Sphere {
  Vec3 center;
  float radius = 1;
  Material material;
};

// Stands upright, turned by `turn` radians about the vertical axis.
struct Box {
  Vec3 center, half;
  float turn = 0;
  Material material;
};

struct Camera {
  Vec3 eye, right, up, forward;
};

struct World {
  std::vector<Sphere> spheres;
  std::vector<Box> boxes;
  Camera camera;
  Vec3 sun;  // unit vector towards it
};

World world_at(double seconds);

}  // namespace seamscope::scene
