#pragma once
// The two sides of the seam. Each can produce and consume, so that one loop serves both directions.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "interop/handover.hpp"

namespace seamscope::seamtest {

// Timeline values around one frame's work; 0 = none. A producer waits for `released` and signals `ready`, a consumer
// the other way round.
struct FrameSync {
  uint64_t wait = 0, signal = 0;
};

class Side {
 public:
  virtual ~Side() = default;

  // Enqueues the pattern of `frame` into a slot. Frames count from 1 and come in order.
  virtual Result<void> write(uint32_t slot, uint64_t frame, FrameSync sync) = 0;
  // Enqueues the check that a slot holds `expected`; `frame` numbers the check.
  virtual Result<void> check(uint32_t slot, uint64_t frame, uint64_t expected, FrameSync sync) = 0;
  // The host waits until this side's work of `frame` is done; an error after ten seconds.
  virtual Result<void> wait_done(uint64_t frame) = 0;
  // For each frame from 1 the number of words that carried the expected pattern. Everything must be done.
  virtual Result<std::vector<uint32_t>> matches() = 0;
};

// The side that is not the Vulkan renderer.
class Partner : public Side {
 public:
  // Each fd is consumed on success.
  virtual Result<void> import_slots(std::vector<interop::MemoryHandover> slots) = 0;
  virtual Result<std::vector<interop::MemoryHandover>> allocate_slots(uint32_t count) = 0;
  virtual Result<void> import_timelines(interop::MemoryHandover ready, interop::MemoryHandover released) = 0;
  // Waits for this side's work and lets go of imported timelines: they go before the Vulkan side, whoever owns the
  // slots.
  virtual void release_timelines() {}
};

// Frames whose host-side objects are kept apart: so many may be enqueued before the host waits for the oldest.
constexpr uint32_t kInFlight = 64;

}  // namespace seamscope::seamtest
