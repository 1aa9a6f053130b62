#pragma once
// The wire between a publisher and the hub, as publishers have it: docs/publisher-protocol.md.

#define SEAMSCOPE_WIRE_ONLY
#include "../../publisher/seamscope.h"

namespace seamscope::frames {

// Both sides lay these out by the same compiler rules; a change of a size is a new wire version.
static_assert(sizeof(seamscope_frame_desc) == 72);
static_assert(sizeof(seamscope_slot) == 128);
static_assert(sizeof(seamscope_output) == 128 + 2 * SEAMSCOPE_MAX_SLOTS * sizeof(seamscope_slot));
static_assert(sizeof(seamscope_control) == 128 + SEAMSCOPE_MAX_OUTPUTS * sizeof(seamscope_output));

constexpr uint32_t kMaxSide = 65536;
constexpr uint64_t kMaxSlotBytes = uint64_t{2} << 30;
constexpr uint32_t kMaxPublishers = 32;
constexpr uint32_t kAllOutputs = UINT32_MAX;

}  // namespace seamscope::frames
