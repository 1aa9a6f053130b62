#include "frames/slot_desc.hpp"

#include "frames/swap_bgr.hpp"
#include "preview/texel.hpp"

namespace seamscope::frames {
namespace {

Error refused(const std::string& what) {
  return Error{"The publisher's frame has " + what + ".", "Check what the program hands to seamscope_publish.", ""};
}

std::string size_text(const seamscope_frame_desc& desc) {
  return std::to_string(desc.width) + "x" + std::to_string(desc.height) + " texels of " +
         std::to_string(desc.channels) + " channels";
}

// Channels that a packed texel has; others may have any number.
uint32_t most_channels(Dtype dtype) {
  if (dtype == Dtype::R11G11B10F) return 3;
  if (dtype == Dtype::RGB10A2) return 4;
  return dtype == Dtype::D24S8 ? 2 : UINT32_MAX;
}

// Adds (count - 1) * stride; false when the sum passes `limit`.
bool reach(uint64_t& end, uint64_t count, uint64_t stride, uint64_t limit) {
  uint64_t distance = 0;
  return !__builtin_mul_overflow(count - 1, stride, &distance) && !__builtin_add_overflow(end, distance, &end) &&
         end <= limit;
}

Result<void> check_numbers(const seamscope_frame_desc& desc) {
  if (desc.dtype > SEAMSCOPE_D24S8) return refused("an unknown element type (" + std::to_string(desc.dtype) + ")");
  if (desc.kind > SEAMSCOPE_TENSOR) return refused("an unknown kind (" + std::to_string(desc.kind) + ")");
  if (desc.color_space > SEAMSCOPE_DATA)
    return refused("an unknown colour space (" + std::to_string(desc.color_space) + ")");
  if (desc.flags & ~(SEAMSCOPE_FLAG_BOTTOM_UP | SEAMSCOPE_FLAG_BGR))
    return refused("unknown flags (" + std::to_string(desc.flags) + ")");
  if (!desc.width || !desc.height || !desc.channels || !desc.batch)
    return refused(size_text(desc) + ": nothing to show");
  if (desc.width > kMaxSide || desc.height > kMaxSide)
    return refused(size_text(desc) + ", more than " + std::to_string(kMaxSide) + " a side");
  const auto dtype = static_cast<Dtype>(desc.dtype);
  if (desc.channels > most_channels(dtype))
    return refused(std::to_string(desc.channels) + " channels, more than its packed texels hold");
  return {};
}

}  // namespace

FrameDesc announced_desc(const seamscope_frame_desc& desc) {
  FrameDesc shown;
  shown.width = desc.width;
  shown.height = desc.height;
  shown.channels = desc.channels;
  if (desc.dtype <= SEAMSCOPE_D24S8) shown.dtype = static_cast<Dtype>(desc.dtype);
  if (desc.kind <= SEAMSCOPE_TENSOR) shown.kind = static_cast<OutputKind>(desc.kind);
  if (desc.color_space <= SEAMSCOPE_DATA) shown.color_space = static_cast<ColorSpace>(desc.color_space);
  shown.bottom_up = desc.flags & SEAMSCOPE_FLAG_BOTTOM_UP;
  shown.batches = desc.batch ? desc.batch : 1;
  return shown;
}

Result<CheckedFrame> check_desc(const seamscope_frame_desc& desc, uint64_t slot_bytes) {
  if (auto valid = check_numbers(desc); !valid) return valid.error();
  const auto dtype = static_cast<Dtype>(desc.dtype);
  const uint64_t channel_stride = is_packed(dtype) ? 0 : desc.channel_stride;
  uint64_t end = dtype_size(dtype);
  const bool inside =
      reach(end, desc.width, desc.pixel_stride, slot_bytes) && reach(end, desc.height, desc.row_stride, slot_bytes) &&
      reach(end, desc.channels, channel_stride, slot_bytes) && reach(end, desc.batch, desc.batch_stride, slot_bytes);
  if (!inside || desc.offset > slot_bytes || end > slot_bytes - desc.offset)
    return refused(size_text(desc) + " whose offset and strides leave its slot of " + std::to_string(slot_bytes) +
                   " bytes");
  CheckedFrame frame{announced_desc(desc), desc.offset, end, false};
  frame.desc.row_stride = desc.row_stride;
  frame.desc.pixel_stride = desc.pixel_stride;
  frame.desc.channel_stride = desc.channel_stride;
  frame.desc.batch_stride = desc.batch_stride;
  frame.is_bgr = desc.flags & SEAMSCOPE_FLAG_BGR;
  if (frame.is_bgr && !can_swap_bgr(frame.desc))
    return refused("blue first, and no three channels of bytes of their own");
  return frame;
}

}  // namespace seamscope::frames
