#include "preview/gpu_window.hpp"

#include "preview/texel.hpp"

namespace seamscope {

bool words_aligned(const FrameDesc& desc, uint64_t offset) {
  const uint64_t unit = std::min<uint64_t>(dtype_size(desc.dtype), 4);
  const uint64_t channel = desc.channels > 1 && !is_packed(desc.dtype) ? desc.channel_stride : 0;
  return (offset | desc.row_stride | desc.pixel_stride | channel) % unit == 0;
}

Result<void> check_frame(const gpu::Buffer& buffer, const FrameDesc& desc, uint64_t offset) {
  const uint64_t bytes = frame_bytes(desc);
  if (offset <= buffer.size() && bytes <= buffer.size() - offset) return {};
  return Error{"The frame's description reaches " + std::to_string(bytes) + " bytes from byte " +
                   std::to_string(offset) + ", its buffer has " + std::to_string(buffer.size()) + ".",
               "Check width, height and strides of the publisher.", ""};
}

Error row_too_large(uint64_t bytes, uint64_t limit) {
  return Error{"One row of the picture needs " + std::to_string(bytes >> 20) + " MiB of the frame at once, and this " +
                   "device binds at most " + std::to_string(limit >> 20) + " MiB.",
               "Zoom in, or open the source on the host.", ""};
}

}  // namespace seamscope
