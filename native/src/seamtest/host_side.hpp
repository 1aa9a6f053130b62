#pragma once
// The partner's side where there is no CUDA: a second Vulkan device shares the memory and the host reads and writes it
// in place. Buffers and fences only.

#include <memory>

#include "interop/vulkan_memory.hpp"
#include "seamtest/cell.hpp"
#include "seamtest/side.hpp"

namespace seamscope::seamtest {

class HostSide : public Partner {
 public:
  HostSide(std::shared_ptr<gpu::Device> device, interop::Ledger& ledger, const Cell& cell)
      : device_(std::move(device)), ledger_(ledger), cell_(cell), matches_(cell.total_frames()) {}

  Result<void> import_slots(std::vector<interop::MemoryHandover> slots) override;
  Result<std::vector<interop::MemoryHandover>> allocate_slots(uint32_t count) override;
  Result<void> import_timelines(interop::MemoryHandover ready, interop::MemoryHandover released) override;

  Result<void> write(uint32_t slot, uint64_t frame, FrameSync sync) override;
  Result<void> check(uint32_t slot, uint64_t frame, uint64_t expected, FrameSync sync) override;
  Result<void> wait_done(uint64_t) override { return {}; }  // the host's work is done when the call returns
  Result<std::vector<uint32_t>> matches() override { return matches_; }

  // Checks bytes that are not in a slot, for the control run that stages.
  void check_bytes(const void* bytes, uint64_t frame, uint64_t expected);
  std::vector<std::unique_ptr<interop::VulkanMemory>>& slots() { return slots_; }

 private:
  Result<void> keep(std::unique_ptr<interop::VulkanMemory> slot);
  interop::VulkanMemoryDesc desc() const;

  std::shared_ptr<gpu::Device> device_;
  interop::Ledger& ledger_;
  Cell cell_;
  std::vector<uint32_t> matches_;
  std::vector<std::unique_ptr<interop::VulkanMemory>> slots_;
  std::vector<uint32_t*> words_;
};

}  // namespace seamscope::seamtest
