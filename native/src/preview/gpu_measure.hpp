#pragma once
// How the shaders that measure every number of a frame (ingest.comp, histogram.comp) are dispatched over it: in bands
// of rows that a binding holds.

#include <functional>

#include "preview/gpu_window.hpp"

namespace seamscope {

// Enough groups to fill the device; what is left loops inside.
uint32_t measuring_groups(const gpu::Device& device);

// The push constants that both shaders begin with. Bytes; base is that of the band's first number.
struct MeasuredPush {
  uint32_t base, row_stride, pixel_stride, channel_stride;
  uint32_t width, rows, channels, unused;
};

struct MeasuredBand {
  gpu::BufferRange window;
  MeasuredPush push;
  uint32_t across, down;  // groups of 256 columns, groups of rows
};

struct MeasuredPart {
  uint64_t offset, limit;  // where the frame begins; bytes that a window may span
};

// Calls use(band) for every band. Channels whose planes lie further apart than a row is long are measured one after the
// other.
Result<void> for_measured_bands(const gpu::Buffer& frame, const FrameDesc& desc, const MeasuredPart& part,
                                const std::function<Result<void>(const MeasuredBand&)>& use);

}  // namespace seamscope
