#pragma once
// Rings in GPU memory: imported once, each frame brought to pinned host memory by the copy engine, where there is one.

#include "frames/import_devices.hpp"
#include "frames/ring.hpp"

namespace seamscope::frames {

// Blocks for as long as the driver takes; not for the hub's thread.
OpenedRing open_gpu_ring(RingOffer offer, ImportDevices& devices);

}  // namespace seamscope::frames
