#include "preview/host_output.hpp"

#include "preview/frame_source.hpp"
#include "preview/texel.hpp"

namespace seamscope {

Result<std::span<const std::byte>> host_output(const OutputRef& output) {
  auto bytes = output.frame.host_bytes(output.index);
  if (!bytes) return bytes.error();
  const uint64_t needed = frame_bytes(output.desc) == 0 ? 0 : output.offset + frame_bytes(output.desc);
  if (bytes->size() < needed) {
    return Error{"The frame has " + std::to_string(bytes->size()) + " bytes, its size and strides need " +
                     std::to_string(needed) + ".",
                 "Check width, height and strides of the producer of this frame.",
                 {}};
  }
  return needed == 0 ? bytes->first(0) : bytes->subspan(output.offset);
}

}  // namespace seamscope
