#include "scene/screen_bounds.hpp"

#include <algorithm>

namespace seamscope::scene {
namespace {

constexpr float kNearest = 0.05f;  // metres; what comes closer is taken to fill the picture

struct Slopes {
  float low, high;
};

// The tangents from the eye to a circle at (across, ahead), as across / ahead.
Slopes tangents(float across, float ahead, float radius) {
  const float denominator = ahead * ahead - radius * radius;
  const float root = radius * std::sqrt(std::max(across * across + denominator, 0.0f));
  return {(across * ahead - root) / denominator, (across * ahead + root) / denominator};
}

}  // namespace

Rect Projection::everything() const {
  return {0, 0, static_cast<float>(view_.width), static_cast<float>(view_.height)};
}

Vec3 Projection::eye_space(Vec3 at) const {
  const Vec3 d = at - camera_.eye;
  return {dot(d, camera_.right), dot(d, camera_.up), dot(d, camera_.forward)};
}

Rect Projection::of_sphere(Vec3 center, float radius) const {
  const Vec3 c = eye_space(center);
  if (c.z < -radius) return {};
  if (c.z < radius + kNearest) return everything();
  const Slopes u = tangents(c.x, c.z, radius), v = tangents(c.y, c.z, radius);
  const auto& lens = view_.lens;
  return {(u.low - lens.y) / lens.x, (v.high - lens.w) / lens.z, (u.high - lens.y) / lens.x, (v.low - lens.w) / lens.z};
}

Rect Projection::of_points(std::span<const Vec3> points) const {
  Rect rect{1e9f, 1e9f, -1e9f, -1e9f};
  for (const Vec3& point : points) {
    const Vec3 c = eye_space(point);
    if (c.z < kNearest) return everything();
    const float x = (c.x / c.z - view_.lens.y) / view_.lens.x, y = (c.y / c.z - view_.lens.w) / view_.lens.z;
    rect = {std::min(rect.left, x), std::min(rect.top, y), std::max(rect.right, x), std::max(rect.bottom, y)};
  }
  return rect;
}

}  // namespace seamscope::scene
