#pragma once
// Where things lie in the picture.

#include <cstdint>
#include <span>

#include "scene/scene_records.hpp"
#include "scene/world.hpp"

namespace seamscope::scene {

// In pixels; empty when left >= right.
struct Rect {
  float left = 0, top = 0, right = 0, bottom = 0;
};

// Maps world points to pixels.
class Projection {
 public:
  Projection(const Camera& camera, const SceneView& view) : camera_(camera), view_(view) {}

  Rect of_sphere(Vec3 center, float radius) const;
  // Of the convex hull of the points.
  Rect of_points(std::span<const Vec3> points) const;

 private:
  Rect everything() const;
  // Centre along right, up, forward.
  Vec3 eye_space(Vec3 at) const;

  Camera camera_;
  const SceneView& view_;
};

}  // namespace seamscope::scene
