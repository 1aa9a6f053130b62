#pragma once
// Parts of a frame that fit a storage buffer binding: `maxStorageBufferRange` is 128 MiB on some drivers.

#include <algorithm>

#include "gpu/commands.hpp"
#include "preview/frame.hpp"

namespace seamscope {

// How a binding is laid over bytes [first, end) of a buffer.
struct GpuWindow {
  gpu::BufferRange range;
  uint32_t base = 0;  // of byte `first` in the binding
};

inline GpuWindow window_over(const gpu::Buffer& buffer, uint64_t first, uint64_t end) {
  const uint64_t alignment = std::max<uint64_t>(buffer.device().info().storage_offset_alignment, 4);
  const uint64_t from = first / alignment * alignment;
  const uint64_t to = std::min(buffer.size(), (end + 3) / 4 * 4);
  return {{&buffer, from, to - from}, static_cast<uint32_t>(first - from)};
}

// Bytes that a window may span. Shaders count in 32 bits, and `wished` (0: none) makes it smaller still.
inline uint64_t window_limit(const gpu::Device& device, uint64_t wished) {
  const uint64_t most = std::min<uint64_t>(device.info().max_storage_buffer_range, uint64_t{1} << 31);
  return std::min(most, wished ? wished : most) - device.info().storage_offset_alignment - 8;
}

// Whether the shader may read whole words without looking at the last bits of addresses.
bool words_aligned(const FrameDesc& desc, uint64_t offset);

// Checks that the frame lies inside the buffer.
Result<void> check_frame(const gpu::Buffer& buffer, const FrameDesc& desc, uint64_t offset);

// A row that no window holds.
Error row_too_large(uint64_t bytes, uint64_t limit);

}  // namespace seamscope
