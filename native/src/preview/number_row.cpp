#include "preview/number_row.hpp"

#include "preview/passes.hpp"
#include "preview/texel.hpp"

namespace seamscope {

void read_numbers(const std::byte* bytes, const FrameDesc& desc, uint32_t y, std::span<double> out) {
  const uint32_t channels = stat_channels(desc);
  with_dtype(desc.dtype, [&](auto tag) {
    for (uint32_t c = 0; c < channels; ++c) {
      const std::byte* at = bytes + row_offset(desc, y) + channel_offset(desc, c);
      for (size_t i = c; i < out.size(); i += channels, at += desc.pixel_stride)
        out[i] = static_cast<double>(load<tag.value>(at, c));
    }
  });
}

}  // namespace seamscope
