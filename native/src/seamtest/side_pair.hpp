#pragma once
// Connects the two sides in one process: who allocates, who imports, and the timelines.

#include "seamtest/side.hpp"
#include "seamtest/vulkan_side.hpp"

namespace seamscope::seamtest {

inline Result<void> connect(VulkanSide& vulkan, Partner& partner, const Cell& cell) {
  if (cell.ownership == Ownership::Exporter) {
    auto slots = vulkan.create_slots();
    if (!slots) return slots.error();
    if (auto done = partner.import_slots(std::move(*slots)); !done) return done;
  } else {
    auto slots = partner.allocate_slots(cell.slots);
    if (!slots) return slots.error();
    if (auto done = vulkan.import_slots(std::move(*slots)); !done) return done;
  }
  if (cell.mode == SyncMode::Fence) return {};
  auto timelines = vulkan.create_timelines();
  if (!timelines) return timelines.error();
  return partner.import_timelines(std::move(timelines->ready), std::move(timelines->released));
}

// Both sides in the order in which they may go: whoever imports goes before whoever allocated. Vulkan allocates the
// timelines in either case.
struct SidePair {
  std::unique_ptr<VulkanSide> vulkan;
  std::unique_ptr<Partner> partner;
  bool inverted = false;

  SidePair() = default;
  SidePair(const SidePair&) = delete;
  SidePair& operator=(const SidePair&) = delete;
  ~SidePair() { destroy(); }
  void destroy() {
    if (inverted) {
      if (partner) partner->release_timelines();
      vulkan.reset();
    }
    partner.reset();
    vulkan.reset();
  }
};

}  // namespace seamscope::seamtest
