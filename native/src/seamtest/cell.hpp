#pragma once
// One run of the matrix, as the job asks for it.

#include <cstdint>

#include "interop/handover.hpp"

namespace seamscope::seamtest {

using interop::FrameShape;
using interop::Resource;

enum class SyncMode {
  Fence,     // the host waits for the producer, then starts the consumer
  Timeline,  // the GPU waits; the host only enqueues
};
enum class Ownership {
  Exporter,  // Vulkan allocates and exports, the partner imports
  Inverted,  // the partner allocates and exports, Vulkan imports
};
enum class Direction { VulkanToPartner, PartnerToVulkan };

struct Cell {
  SyncMode mode = SyncMode::Fence;
  uint32_t slots = 1;
  Ownership ownership = Ownership::Exporter;
  uint32_t processes = 1;
  Direction direction = Direction::VulkanToPartner;
  Resource resource = Resource::Buffer;
  // Frames that are measured, those before them, and those after them whose way there is timed one by one.
  uint32_t frames = 100, warmup = 8, latency_frames = 0;
  FrameShape shape;

  uint32_t total_frames() const { return warmup + frames + latency_frames; }
};

}  // namespace seamscope::seamtest
