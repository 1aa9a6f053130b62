#include "seamtest/host_side.hpp"

#include "seamtest/pattern.hpp"

namespace seamscope::seamtest {

interop::VulkanMemoryDesc HostSide::desc() const {
  return {cell_.shape, Resource::Buffer, true, "slot " + std::to_string(slots_.size()), "host"};
}

Result<void> HostSide::keep(std::unique_ptr<interop::VulkanMemory> slot) {
  auto mapped = slot->map();
  slots_.push_back(std::move(slot));
  if (!mapped) return mapped.error();
  words_.push_back(reinterpret_cast<uint32_t*>(*mapped));
  return {};
}

Result<void> HostSide::import_slots(std::vector<interop::MemoryHandover> handovers) {
  for (auto& handover : handovers) {
    auto slot = interop::VulkanMemory::import(device_, ledger_, desc(), std::move(handover));
    if (!slot) return slot.error();
    if (auto kept = keep(std::move(*slot)); !kept) return kept;
  }
  return {};
}

Result<std::vector<interop::MemoryHandover>> HostSide::allocate_slots(uint32_t count) {
  std::vector<interop::MemoryHandover> handovers;
  for (uint32_t i = 0; i < count; ++i) {
    auto slot = interop::VulkanMemory::create_exportable(device_, ledger_, desc());
    if (!slot) return slot.error();
    auto handover = (*slot)->export_memory();
    if (auto kept = keep(std::move(*slot)); !kept) return kept.error();
    if (!handover) return handover.error();
    handovers.push_back(std::move(*handover));
  }
  return handovers;
}

Result<void> HostSide::import_timelines(interop::MemoryHandover, interop::MemoryHandover) {
  return Error{"The host consumer has no stream that could wait for a timeline semaphore.", "Use the fence mode.", ""};
}

Result<void> HostSide::write(uint32_t slot, uint64_t frame, FrameSync) {
  write_pattern(words_[slot], cell_.shape.words(), static_cast<uint32_t>(frame));
  return {};
}

void HostSide::check_bytes(const void* bytes, uint64_t frame, uint64_t expected) {
  const auto* words = static_cast<const uint32_t*>(bytes);
  matches_[frame - 1] = count_matches(words, cell_.shape.words(), static_cast<uint32_t>(expected));
}

Result<void> HostSide::check(uint32_t slot, uint64_t frame, uint64_t expected, FrameSync) {
  check_bytes(words_[slot], frame, expected);
  return {};
}

}  // namespace seamscope::seamtest
