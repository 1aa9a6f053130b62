#pragma once
// A frame that a GPU renders: one linear buffer an output, read back on demand.

#include <array>
#include <memory>
#include <mutex>

#include "gpu/commands.hpp"
#include "preview/frame_source.hpp"
#include "scene/buffer_pool.hpp"
#include "scene/scene.hpp"

namespace seamscope::scene {

// Copies frames to host memory through the copy engine, where there is one.
class ReadBack {
 public:
  static Result<std::unique_ptr<ReadBack>> create(std::shared_ptr<gpu::Device> device);
  // Thread-safe; waits for the end.
  Result<void> copy(const gpu::Buffer& from, const gpu::Buffer& to, gpu::Ticket after);

 private:
  std::mutex mutex_;
  std::unique_ptr<gpu::Commands> commands_;
};

// What the frames of a scene share, and what outlives the scene as long as a frame is held.
struct FrameMemory {
  std::shared_ptr<gpu::Device> device;
  std::unique_ptr<ReadBack> read_back;
  BufferPool pool;
};

class VulkanFrame final : public Frame {
 public:
  VulkanFrame(std::shared_ptr<FrameMemory> memory, uint64_t number) : memory_(std::move(memory)), number_(number) {}
  ~VulkanFrame() override;

  Result<void> add_output(uint32_t output, uint64_t bytes);
  void set_rendered(gpu::Ticket ticket) { rendered_ = ticket; }

  uint64_t number() const override { return number_; }
  bool has(uint32_t output) const override { return output < kSceneOutputs && buffers_[output]; }
  Result<std::span<const std::byte>> host_bytes(uint32_t output) const override;
  const gpu::Buffer* buffer(uint32_t output) const override { return has(output) ? buffers_[output].get() : nullptr; }
  bool on_host(uint32_t output) const override;
  // A driver that computes on the CPU takes it from the program that it would draw for.
  bool shares_gpu() const override { return memory_->device->is_cpu(); }

 private:
  using Buffers = std::array<std::shared_ptr<gpu::Buffer>, kSceneOutputs>;

  std::shared_ptr<FrameMemory> memory_;
  uint64_t number_;
  gpu::Ticket rendered_;
  Buffers buffers_;
  mutable std::mutex copying_;
  mutable Buffers copies_;
};

}  // namespace seamscope::scene
