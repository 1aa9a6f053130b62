#pragma once
// The renderer's side: Vulkan writes the pattern into the slots, or checks it.

#include <array>
#include <memory>

#include "gpu/buffer.hpp"
#include "gpu/pipeline.hpp"
#include "interop/vulkan_memory.hpp"
#include "interop/vulkan_timeline.hpp"
#include "seamtest/cell.hpp"
#include "seamtest/side.hpp"

namespace seamscope::seamtest {

class VulkanSide : public Side {
 public:
  // `host_visible`: the partner is the host and reads in place.
  static Result<std::unique_ptr<VulkanSide>> create(std::shared_ptr<gpu::Device> device, interop::Ledger& ledger,
                                                    const Cell& cell, bool host_visible);
  ~VulkanSide() override;

  Result<std::vector<interop::MemoryHandover>> create_slots();
  Result<void> import_slots(std::vector<interop::MemoryHandover> slots);
  struct Timelines {
    interop::MemoryHandover ready, released;
  };
  Result<Timelines> create_timelines();

  Result<void> write(uint32_t slot, uint64_t frame, FrameSync sync) override;
  Result<void> check(uint32_t slot, uint64_t frame, uint64_t expected, FrameSync sync) override;
  Result<void> wait_done(uint64_t frame) override;
  Result<std::vector<uint32_t>> matches() override;

  // After write(): copies the slot into mapped staging memory, the way the control run does. Waits for it.
  Result<const std::byte*> copy_to_staging(uint32_t slot);
  // The ledger's handle of the device, which later slots depend on.
  void set_device_id(interop::LedgerId id) { device_id_ = id; }
  // Raw access for the teardown children, which destroy in a wrong order on purpose.
  std::vector<std::unique_ptr<interop::VulkanMemory>>& slots() { return slots_; }
  Result<void> wait_all();

 private:
  struct Push {
    uint32_t count, frame, total;
  };
  VulkanSide(std::shared_ptr<gpu::Device> device, interop::Ledger& ledger, const Cell& cell, bool host_visible)
      : device_(std::move(device)), ledger_(ledger), cell_(cell), host_visible_(host_visible) {}
  Result<void> make_pipelines();
  Result<void> make_totals();
  Result<void> make_commands();
  Result<void> make_sets();
  // How the host learns that the work of a place is done: by the timeline that it signals anyway, else by a fence,
  // which would cost the GPU a flush of its own.
  struct Submitted {
    bool pending = false;
    VkSemaphore timeline = VK_NULL_HANDLE;
    uint64_t value = 0;
  };
  VkResult wait_for(size_t place) const;
  Result<VkCommandBuffer> begin(uint64_t frame);
  Result<void> submit(uint64_t frame, VkCommandBuffer commands, FrameSync sync, bool writes);
  void record(VkCommandBuffer commands, uint32_t slot, const gpu::ComputePipeline& pipeline, const Push& push);
  void record_write(VkCommandBuffer commands, uint32_t slot, const Push& push);
  void record_check(VkCommandBuffer commands, uint32_t slot, const Push& push);
  Result<void> hand_over_images();
  // What of a frame touches its slot.
  struct Scope {
    VkPipelineStageFlags stages;
    VkAccessFlags access;
  };
  Scope scope(VkAccessFlags shader_access) const;
  void acquire(VkCommandBuffer commands, uint32_t slot, Scope scope);
  void release(VkCommandBuffer commands, uint32_t slot, Scope scope);
  interop::VulkanMemoryDesc desc(uint32_t slot) const;

  std::shared_ptr<gpu::Device> device_;
  interop::Ledger& ledger_;
  Cell cell_;
  bool host_visible_;
  interop::LedgerId device_id_ = 0;
  std::shared_ptr<gpu::ComputePipeline> write_, check_;
  std::shared_ptr<gpu::Buffer> totals_, staging_;
  // Buffer that shaders work on when the slots are images; one for each slot, so that slots stay independent.
  std::vector<std::shared_ptr<gpu::Buffer>> scratch_;
  std::vector<std::unique_ptr<interop::VulkanMemory>> slots_;
  std::unique_ptr<interop::VulkanTimeline> ready_, released_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkDescriptorPool set_pool_ = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> sets_;
  std::array<VkCommandBuffer, kInFlight> commands_{};
  std::array<VkFence, kInFlight> fences_{};
  std::array<Submitted, kInFlight> submitted_{};
};

}  // namespace seamscope::seamtest
