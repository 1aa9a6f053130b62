#pragma once
// Rings in GPU memory: imported once, each frame brought to pinned host memory by the copy engine, where there is one.

#include "frames/import_devices.hpp"
#include "frames/ring.hpp"

namespace seamscope::frames {

// Where frames are copied to.
struct FrameMemory {
  std::shared_ptr<BytePool> pool;
  uint64_t band_bytes = uint64_t{256} << 20;  // larger frames come through pinned memory of this size, a part at a time
};

// Blocks for as long as the driver takes; not for the hub's thread.
OpenedRing open_gpu_ring(RingOffer offer, ImportDevices& devices, FrameMemory memory);

}  // namespace seamscope::frames
