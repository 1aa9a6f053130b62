#include "scene/tiles.hpp"

#include <algorithm>
#include <array>

#include "scene/screen_bounds.hpp"

namespace seamscope::scene {
namespace {

// As in shaders/scene_math.glsl.
constexpr float kFloorRadius = 9.0f, kFloorThickness = 0.35f;
constexpr float kBoxPenumbra = 1.0f / 14;  // outer half of the soft edge per metre from the object
constexpr float kHiddenCut = 0.03f;        // ambient occlusion below this counts as none
constexpr float kSlack = 1.02f;            // for rounding
constexpr uint32_t kFloorCorners = 64;

struct Occluders {
  uint32_t spheres = 0, boxes = 0;
};

// The tiles of the whole picture in reading order.
class Grid {
 public:
  explicit Grid(const SceneView& view)
      : columns_((view.width + kTileSide - 1) / kTileSide),
        rows_((view.height + kTileSide - 1) / kTileSide),
        tiles_(size_t{columns_} * rows_),
        floor_(tiles_.size()) {
    for (uint32_t i = 0; i < tiles_.size(); ++i)
      tiles_[i].x = i % columns_ * kTileSide, tiles_[i].y = i / columns_ * kTileSide;
  }

  uint32_t rows() const { return rows_; }
  std::vector<Tile>& tiles() { return tiles_; }
  bool has_floor(size_t tile) const { return floor_[tile] != 0; }

  template <typename Visit>
  void each_in(const Rect& rect, Visit visit) {
    const Span x = span(rect.left, rect.right, columns_), y = span(rect.top, rect.bottom, rows_);
    for (uint32_t row = y.first; row < y.end; ++row)
      for (uint32_t column = x.first; column < x.end; ++column) visit(size_t{row} * columns_ + column);
  }
  void mark_floor(const Rect& rect) {
    each_in(rect, [&](size_t tile) { floor_[tile] = 1; });
  }

 private:
  struct Span {
    uint32_t first, end;
  };
  // One pixel of margin on both sides.
  static Span span(float low, float high, uint32_t count) {
    if (!(low < high)) return {0, 0};
    const float side = kTileSide, last = static_cast<float>(count);
    const float first = std::clamp(std::floor((low - 1) / side), 0.0f, last);
    const float end = std::clamp(std::floor((high + 1) / side) + 1, 0.0f, last);
    return {static_cast<uint32_t>(first), static_cast<uint32_t>(end)};
  }

  uint32_t columns_, rows_;
  std::vector<Tile> tiles_;
  std::vector<uint8_t> floor_;
};

std::array<Vec3, 8> corners(const Box& box) {
  const float c = std::cos(box.turn), s = std::sin(box.turn);
  std::array<Vec3, 8> all;
  for (uint32_t i = 0; i < 8; ++i) {
    const Vec3 l{i & 1 ? box.half.x : -box.half.x, i & 2 ? box.half.y : -box.half.y, i & 4 ? box.half.z : -box.half.z};
    all[i] = box.center + Vec3{l.x * c + l.z * s, l.y, l.z * c - l.x * s};
  }
  return all;
}

// The floor is convex in the picture: a band of one tile row holds what lies between the edges that cross it.
void mark_floor(Grid& grid, const Projection& projection) {
  std::vector<Vec3> around;
  for (uint32_t i = 0; i < kFloorCorners; ++i) {
    const float angle = static_cast<float>(i) * 6.2831853f / kFloorCorners, r = kFloorRadius * 1.003f;
    around.push_back({r * std::cos(angle), 0, r * std::sin(angle)});
    around.push_back({r * std::cos(angle), -kFloorThickness, r * std::sin(angle)});
  }
  std::vector<Rect> edges;
  for (size_t i = 0; i < around.size(); ++i) {
    const Vec3 edge[] = {around[i], around[(i + 2) % around.size()]};
    edges.push_back(projection.of_points(edge));
  }
  for (uint32_t row = 0; row < grid.rows(); ++row) {
    const float top = static_cast<float>(row * kTileSide), bottom = top + kTileSide;
    Rect band{1e9f, top + 2, -1e9f, bottom - 2};
    for (const Rect& edge : edges) {
      if (edge.bottom < top - 1 || edge.top > bottom + 1) continue;
      band.left = std::min(band.left, edge.left), band.right = std::max(band.right, edge.right);
    }
    grid.mark_floor(band);
  }
}

Vec3 shadow_on_floor(Vec3 point, Vec3 sun) {
  return point - sun * (point.y / sun.y);
}

// Where sky_hidden() exceeds its cut on the floor, around a sphere of radius r at height h.
float occlusion_reach(float h, float r) {
  return std::sqrt(std::sqrt(h * r * r * r / kHiddenCut)) * kSlack;
}

void add_circle(std::vector<Vec3>& points, Vec3 center, Vec3 a, Vec3 b) {
  for (int i = 0; i < 16; ++i) {
    const float angle = static_cast<float>(i) * 6.2831853f / 16;
    points.push_back(center + a * (1.02f * std::cos(angle)) + b * (1.02f * std::sin(angle)));
  }
}

// Radius of a sphere's shadow with its soft edge, `along` metres behind it.
float shadow_radius(float r, float along) {
  return std::sqrt(r * r + r * std::max(along, 0.0f) / 9) * kSlack;
}

Rect shade_of(const Sphere& sphere, Vec3 sun, const Projection& projection) {
  const float r = shadow_radius(sphere.radius, (sphere.center.y + sphere.radius) / sun.y);
  const Vec3 flat = normalized({sun.x, 0, sun.z});
  std::vector<Vec3> points;
  add_circle(points, shadow_on_floor(sphere.center, sun), flat * (r / sun.y), Vec3{-flat.z, 0, flat.x} * r);
  const float reach = occlusion_reach(sphere.center.y, sphere.radius);
  add_circle(points, {sphere.center.x, 0, sphere.center.z}, {reach, 0, 0}, {0, 0, reach});
  return projection.of_points(points);
}

float stand_in_radius(const Box& box) {
  return 0.5f * (box.half.x + box.half.z);
}

Rect shade_of(const Box& box, Vec3 sun, const Projection& projection) {
  std::vector<Vec3> points;
  for (const Vec3& corner : corners(box)) {
    const Vec3 at = shadow_on_floor(corner, sun);
    const float margin = corner.y / sun.y * kBoxPenumbra;
    add_circle(points, at, {margin, 0, 0}, {0, 0, margin});
  }
  const float r = stand_in_radius(box), reach = occlusion_reach(std::min(box.center.y, r), r);
  add_circle(points, {box.center.x, 0, box.center.z}, {reach, 0, 0}, {0, 0, reach});
  return projection.of_points(points);
}

// Something that receives or casts: the sphere around it, and the one that hides the sky.
struct Bounds {
  Vec3 center;
  float radius, stand_in;
  bool sphere;
};

bool darkens(const Bounds& caster, const Bounds& receiver, Vec3 sun) {
  const Vec3 to = caster.center - receiver.center;
  const float distance = length(to), along = dot(to, sun), reach = caster.radius + receiver.radius;
  if (distance - receiver.radius < caster.stand_in / std::cbrt(kHiddenCut) * kSlack) return true;
  const float across = std::sqrt(std::max(distance * distance - along * along, 0.0f)), far = along + receiver.radius;
  const float shadow = caster.sphere ? shadow_radius(caster.radius, far) : caster.radius + far * kBoxPenumbra;
  return along > -reach && across < (shadow + receiver.radius) * kSlack;
}

std::vector<Bounds> all_bounds(const World& world) {
  std::vector<Bounds> all;
  for (const Sphere& sphere : world.spheres) all.push_back({sphere.center, sphere.radius, sphere.radius, true});
  for (const Box& box : world.boxes) all.push_back({box.center, length(box.half), stand_in_radius(box), false});
  return all;
}

std::vector<Occluders> object_occluders(const World& world) {
  const auto all = all_bounds(world);
  std::vector<Occluders> occluders(all.size());
  for (size_t receiver = 0; receiver < all.size(); ++receiver) {
    for (size_t caster = 0; caster < all.size(); ++caster) {
      if (caster == receiver || !darkens(all[caster], all[receiver], world.sun)) continue;
      const bool sphere = caster < world.spheres.size();
      (sphere ? occluders[receiver].spheres : occluders[receiver].boxes) |=
          1u << (sphere ? caster : caster - world.spheres.size());
    }
  }
  return occluders;
}

void mark_objects(Grid& grid, const World& world, const Projection& projection) {
  const auto occluders = object_occluders(world);
  const auto mark = [&](const Rect& rect, uint32_t Tile::*mask, uint32_t bit, const Occluders& by) {
    grid.each_in(rect, [&](size_t i) {
      Tile& tile = grid.tiles()[i];
      tile.*mask |= 1u << bit;
      tile.shadow_spheres |= by.spheres;
      tile.shadow_boxes |= by.boxes;
    });
  };
  for (uint32_t i = 0; i < world.spheres.size(); ++i)
    mark(projection.of_sphere(world.spheres[i].center, world.spheres[i].radius), &Tile::spheres, i, occluders[i]);
  for (uint32_t i = 0; i < world.boxes.size(); ++i)
    mark(projection.of_points(corners(world.boxes[i])), &Tile::boxes, i, occluders[world.spheres.size() + i]);
}

void mark_shade(Grid& grid, const World& world, const Projection& projection) {
  const auto mark = [&](const Rect& rect, uint32_t Tile::*mask, uint32_t bit) {
    grid.each_in(rect, [&](size_t i) {
      if (grid.has_floor(i)) grid.tiles()[i].*mask |= 1u << bit;
    });
  };
  for (uint32_t i = 0; i < world.spheres.size(); ++i)
    mark(shade_of(world.spheres[i], world.sun, projection), &Tile::shadow_spheres, i);
  for (uint32_t i = 0; i < world.boxes.size(); ++i)
    mark(shade_of(world.boxes[i], world.sun, projection), &Tile::shadow_boxes, i);
}

TileClass class_of(const Tile& tile, bool has_floor) {
  if (tile.spheres && tile.boxes) return kMixedTiles;
  if (tile.spheres) return kSphereTiles;
  if (tile.boxes) return kBoxTiles;
  return has_floor ? kFloorTiles : kSkyTiles;
}

}  // namespace

void sort_tiles(SceneState& state, const World& world) {
  Grid grid(state.view);
  const Projection projection(world.camera, state.view);
  mark_floor(grid, projection);
  mark_objects(grid, world, projection);
  mark_shade(grid, world, projection);
  for (auto& tiles : state.tiles) tiles.clear();
  for (size_t i = 0; i < grid.tiles().size(); ++i) {
    const Tile& tile = grid.tiles()[i];
    state.tiles[class_of(tile, grid.has_floor(i))].push_back(tile);
  }
}

}  // namespace seamscope::scene
