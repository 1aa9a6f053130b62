// The scene by compute shaders: see shaders/scene.comp.

#include <algorithm>
#include <cstring>

#include "gpu/staged_buffer.hpp"
#include "preview/gpu_passes.hpp"
#include "scene/scene.hpp"
#include "scene/scene_records.hpp"
#include "scene/vulkan_frame.hpp"
#include "scene_comp.h"

namespace seamscope {
namespace {

using namespace scene;

constexpr uint32_t kBindings = 2 + kSceneOutputs;  // objects, tiles, outputs
constexpr uint32_t kMaxGroups = 65535;             // what every device allows

// Objects, then the tiles of all classes.
uint64_t record_bytes(uint32_t width, uint32_t height) {
  const uint64_t columns = (width + kTileSide - 1) / kTileSide, rows = (height + kTileSide - 1) / kTileSide;
  return sizeof(ObjectRecords) + columns * rows * sizeof(Tile);
}

class VulkanScene final : public FrameSource {
 public:
  VulkanScene(std::shared_ptr<FrameMemory> memory, uint32_t width, uint32_t height)
      : memory_(std::move(memory)), width_(width), height_(height), outputs_(scene_outputs(width, height)) {}

  Result<void> open();

  std::vector<OutputInfo> outputs() const override { return outputs_; }
  std::string device() const override { return memory_->device->text(); }
  Result<std::shared_ptr<const Frame>> render(uint64_t number, std::span<const uint32_t> wanted) override;
  std::unique_ptr<PreviewPasses> device_passes() override;
  uint64_t gpu_memory_bytes() const override { return memory_->device->gpu_memory_bytes() - memory_->pool.gpu_bytes(); }

 private:
  using Pipeline = std::shared_ptr<gpu::ComputePipeline>;

  void upload();
  Result<void> record(uint32_t mask, const VulkanFrame& frame);
  Result<gpu::ComputePipeline*> pipeline(uint32_t mask, uint32_t tile_class);

  std::shared_ptr<FrameMemory> memory_;
  uint32_t width_, height_;
  std::vector<OutputInfo> outputs_;
  std::unique_ptr<gpu::Commands> commands_;
  gpu::StagedBuffer records_;
  SceneState state_;
  Pipeline pipelines_[1 << kSceneOutputs][kTileClasses];
};

Result<void> VulkanScene::open() {
  auto commands = gpu::Commands::create(memory_->device, memory_->device->compute());
  if (!commands) return commands.error();
  commands_ = std::move(*commands);
  auto records = gpu::StagedBuffer::create(memory_->device, record_bytes(width_, height_), gpu::MemoryUse::Upload);
  if (!records) return records.error();
  records_ = std::move(*records);
  return {};
}

// The records of the frame before are no longer read: render() has waited for it.
void VulkanScene::upload() {
  std::byte* to = records_.host().data();
  std::memcpy(to, &state_.objects, sizeof state_.objects);
  to += sizeof state_.objects;
  for (const auto& tiles : state_.tiles) {
    if (tiles.empty()) continue;
    std::memcpy(to, tiles.data(), tiles.size() * sizeof(Tile));
    to += tiles.size() * sizeof(Tile);
  }
  records_.to_device(*commands_, records_.size());
}

Result<gpu::ComputePipeline*> VulkanScene::pipeline(uint32_t mask, uint32_t tile_class) {
  auto& made = pipelines_[mask][tile_class];
  if (made) return made.get();
  const bool mixed = tile_class == kMixedTiles;
  const uint32_t constants[] = {mask, tile_class != kSkyTiles, mixed || tile_class == kSphereTiles,
                                mixed || tile_class == kBoxTiles};
  auto pipeline =
      gpu::ComputePipeline::create(memory_->device, {scene_comp_spv, 1, kBindings - 1, sizeof(SceneView), constants});
  if (!pipeline) return pipeline.error();
  made = std::move(*pipeline);
  return made.get();
}

Result<void> VulkanScene::record(uint32_t mask, const VulkanFrame& frame) {
  const uint64_t tiles = sizeof(ObjectRecords);
  gpu::BufferRange buffers[kBindings] = {{&records_.device(), 0, tiles}, {&records_.device(), tiles, 0}};
  for (uint32_t i = 0; i < kSceneOutputs; ++i)  // an output that is not rendered is not written: any buffer will do
    buffers[2 + i] = frame.has(i) ? gpu::BufferRange{frame.buffer(i)} : buffers[0];
  SceneView view = state_.view;
  for (uint32_t i = 0; i < kTileClasses; ++i) {
    auto left = static_cast<uint32_t>(state_.tiles[i].size());
    if (!left) continue;
    auto shader = pipeline(mask, i);
    if (!shader) return shader.error();
    for (uint32_t count; left; left -= count, view.first_tile += count) {
      count = std::min(left, kMaxGroups);
      const auto push = std::as_bytes(std::span(&view, 1));
      if (auto done = commands_->dispatch(**shader, buffers, push, count); !done) return done;
    }
  }
  return {};
}

Result<std::shared_ptr<const Frame>> VulkanScene::render(uint64_t number, std::span<const uint32_t> wanted) {
  auto frame = std::make_shared<VulkanFrame>(memory_, number);
  uint32_t mask = 0;
  for (const uint32_t output : wanted) {
    if (output >= kSceneOutputs || (mask >> output & 1)) continue;
    const auto& desc = outputs_[output].desc;
    if (auto added = frame->add_output(output, desc.row_stride * desc.height); !added) return added.error();
    mask |= 1u << output;
  }
  if (!mask) return std::shared_ptr<const Frame>(std::move(frame));
  update_scene(state_, number, width_, height_);
  if (auto begun = commands_->begin(); !begun) return begun.error();
  commands_->barrier();  // the buffers may have been read by a pass on this queue
  upload();
  if (auto recorded = record(mask, *frame); !recorded) return recorded.error();
  commands_->barrier_to_host();
  auto ticket = commands_->submit();
  if (!ticket) return ticket.error();
  frame->set_rendered(*ticket);
  if (auto done = gpu::wait_for(*ticket); !done) return done.error();
  return std::shared_ptr<const Frame>(std::move(frame));
}

std::unique_ptr<PreviewPasses> VulkanScene::device_passes() {
  if (memory_->device->is_cpu()) return nullptr;
  auto passes = GpuPasses::create(memory_->device);
  return passes ? std::move(*passes) : nullptr;
}

}  // namespace

Result<std::unique_ptr<FrameSource>> open_vulkan_scene(std::shared_ptr<gpu::Device> device, uint32_t width,
                                                       uint32_t height) {
  if (auto valid = check_scene_size(width, height); !valid) return valid.error();
  auto read_back = ReadBack::create(device);
  if (!read_back) return read_back.error();
  auto memory = std::shared_ptr<FrameMemory>(new FrameMemory{device, std::move(*read_back), BufferPool(device)});
  auto scene = std::make_unique<VulkanScene>(std::move(memory), width, height);
  if (auto opened = scene->open(); !opened) return opened.error();
  return std::unique_ptr<FrameSource>(std::move(scene));
}

}  // namespace seamscope
