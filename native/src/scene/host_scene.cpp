// The scene in threaded C++: the same tiles, the same formulae, no driver.

#include <algorithm>
#include <cstring>

#include "preview/thread_pool.hpp"
#include "scene/half.hpp"
#include "scene/host_frame.hpp"
#include "scene/host_packet.hpp"
#include "scene/scene.hpp"

namespace seamscope {
namespace {

using namespace scene;
using packet::PacketRenderer;

constexpr uint32_t kLanes = 4;

// The texels of one packet in every output; `count` of its pixels lie inside the picture.
class Store {
 public:
  Store(HostFrame& frame) {
    for (uint32_t i = 0; i < kSceneOutputs; ++i) to_[i] = frame.writable(i);
  }

  bool shaded() const { return to_[kSceneColor] || to_[kSceneHdr]; }
  void radiance(PacketRenderer& renderer, const packet::Vec3x4& radiance, size_t texel, uint32_t count) const;
  void surface(const PacketRenderer::Surface& hit, size_t texel, uint32_t count) const {
    if (to_[kSceneDepth]) std::memcpy(to_[kSceneDepth] + texel * 4, &hit.t.v, count * 4);
    if (to_[kSceneIds]) std::memcpy(to_[kSceneIds] + texel * 4, &hit.id.v, count * 4);
  }

 private:
  std::byte* to_[kSceneOutputs];
};

void Store::radiance(PacketRenderer& renderer, const packet::Vec3x4& radiance, size_t texel, uint32_t count) const {
  if (to_[kSceneColor]) {
    const packet::Uint4 color = renderer.packed_color(radiance);
    std::memcpy(to_[kSceneColor] + texel * 4, &color.v, count * 4);
  }
  if (!to_[kSceneHdr]) return;
  uint16_t halves[kLanes * 4];
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    for (int c = 0; c < 3; ++c) halves[lane * 4 + static_cast<uint32_t>(c)] = to_half(radiance[c].v[lane]);
    halves[lane * 4 + 3] = to_half(1.0f);
  }
  std::memcpy(to_[kSceneHdr] + texel * 8, halves, count * 8);
}

void render_tile(const SceneState& state, const Tile& tile, TileClass kind, const Store& store) {
  PacketRenderer renderer(state);
  const PacketRenderer::Masks masks{tile.spheres, tile.boxes, tile.shadow_spheres, tile.shadow_boxes};
  const bool has_floor = kind != kSkyTiles, has_objects = tile.spheres | tile.boxes;
  const uint32_t right = std::min(tile.x + kTileSide, state.view.width);
  const uint32_t bottom = std::min(tile.y + kTileSide, state.view.height);
  for (uint32_t y = tile.y; y < bottom; ++y) {
    for (uint32_t x = tile.x; x < right; x += kLanes) {
      const packet::Floats centres{0.5f, 1.5f, 2.5f, 3.5f};
      const auto ray = renderer.ray_through(static_cast<float>(x) + centres, static_cast<float>(y) + 0.5f);
      const auto hit = renderer.see(ray, masks, has_floor, true, true, store.shaded());
      const size_t texel = size_t{y} * state.view.width + x;
      const uint32_t count = std::min(kLanes, right - x);
      store.surface(hit, texel, count);
      if (store.shaded())
        store.radiance(renderer, renderer.packet_radiance(hit, ray, masks, has_floor, has_objects), texel, count);
    }
  }
}

class HostScene final : public FrameSource {
 public:
  HostScene(uint32_t width, uint32_t height, unsigned threads)
      : width_(width), height_(height), outputs_(scene_outputs(width, height)), pool_(threads) {}

  std::vector<OutputInfo> outputs() const override { return outputs_; }
  std::string device() const override {
    return "host, " + std::to_string(pool_.threads()) + (pool_.threads() == 1 ? " thread" : " threads");
  }
  Result<std::shared_ptr<const Frame>> render(uint64_t number, std::span<const uint32_t> wanted) override;

 private:
  uint32_t width_, height_;
  std::vector<OutputInfo> outputs_;
  ThreadPool pool_;
  std::shared_ptr<HostPool> memory_ = std::make_shared<HostPool>();
  SceneState state_;
};

Result<std::shared_ptr<const Frame>> HostScene::render(uint64_t number, std::span<const uint32_t> wanted) {
  auto frame = std::make_shared<HostFrame>(memory_, number);
  for (const uint32_t output : wanted) {
    if (output >= kSceneOutputs || frame->has(output)) continue;
    const auto& desc = outputs_[output].desc;
    frame->add_output(output, desc.row_stride * desc.height);
  }
  update_scene(state_, number, width_, height_);
  const Store store(*frame);
  for (uint32_t kind = 0; kind < kTileClasses; ++kind) {
    const auto& tiles = state_.tiles[kind];
    pool_.parallel_for(static_cast<uint32_t>(tiles.size()),
                       [&](uint32_t i) { render_tile(state_, tiles[i], static_cast<TileClass>(kind), store); });
  }
  return std::shared_ptr<const Frame>(std::move(frame));
}

}  // namespace

Result<std::unique_ptr<FrameSource>> open_host_scene(uint32_t width, uint32_t height, unsigned threads) {
  if (auto valid = check_scene_size(width, height); !valid) return valid.error();
  return std::unique_ptr<FrameSource>(std::make_unique<HostScene>(width, height, threads));
}

}  // namespace seamscope
