#pragma once
// The scene's data as the renderers read it: the C++ side of shaders/scene.comp.

#include <cstdint>
#include <vector>

namespace seamscope::scene {

struct Float4 {
  float x = 0, y = 0, z = 0, w = 0;
};

constexpr uint32_t kMaxSpheres = 32, kMaxBoxes = 32;  // one bit each in a tile's masks
constexpr uint32_t kTileSide = 16;                    // pixels

struct SphereRecord {
  Float4 eye_space;  // centre along right, up, forward; squared distance from the eye minus squared radius
  Float4 world;      // centre, radius
  Float4 albedo;     // linear; w holds the bits of the object's id
  Float4 look;       // metal, gloss, emission, stripes
};

struct BoxRecord {
  Float4 unused;
  Float4 world;   // centre, radius of the sphere that stands for the box in ambient occlusion
  Float4 albedo;  // linear; w holds the bits of the object's id
  Float4 look;    // metal, gloss, emission, stripes
  Float4 size;    // half extents, cosine of the turn about the vertical axis
  Float4 lit;     // one over the sun's direction in the box's frame, sine of the turn
  Float4 eye;     // the eye in the box's frame, relative to its centre
  Float4 unused2;
};

// Both tables in one buffer.
struct ObjectRecords {
  SphereRecord spheres[kMaxSpheres];
  BoxRecord boxes[kMaxBoxes];
};

// A tile of the picture, with the objects that matter in it: one bit an object.
struct Tile {
  uint32_t spheres = 0, boxes = 0;                // that may be seen
  uint32_t shadow_spheres = 0, shadow_boxes = 0;  // that may darken what is seen
  uint32_t x = 0, y = 0;                          // of the top left pixel
  uint32_t unused[2] = {};
};

// Tiles in classes by what may be seen in them, so that each is rendered by a shader that knows nothing else. Objects
// are in front of the floor or not, which makes no difference worth a class.
enum TileClass : uint32_t { kSkyTiles, kFloorTiles, kSphereTiles, kBoxTiles, kMixedTiles };
constexpr uint32_t kTileClasses = 5;

// The push constants.
struct SceneView {
  Float4 eye, right, up, forward;
  Float4 sun;   // unit vector towards it
  Float4 lens;  // u = x * lens.x + lens.y, v = y * lens.z + lens.w, with x, y in pixels and forward = 1
  uint32_t width = 0, height = 0, first_tile = 0, unused = 0;
};

static_assert(sizeof(SphereRecord) == 64 && sizeof(BoxRecord) == 128 && sizeof(Tile) == 32 && sizeof(SceneView) == 112);

// Everything that a frame is rendered from.
struct SceneState {
  SceneView view;
  ObjectRecords objects;
  std::vector<Tile> tiles[kTileClasses];
};

// `state` is reused from frame to frame for its storage.
void update_scene(SceneState& state, uint64_t frame, uint32_t width, uint32_t height);

}  // namespace seamscope::scene
