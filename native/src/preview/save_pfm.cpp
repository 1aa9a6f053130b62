#include <cstring>
#include <type_traits>

#include "preview/passes.hpp"
#include "preview/save.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

constexpr bool is_exact(Dtype dtype) {
  return dtype == Dtype::F16 || dtype == Dtype::BF16 || dtype == Dtype::F32 || dtype == Dtype::R11G11B10F;
}

// The format's rows go from bottom to top.
template <Dtype D>
void write_rows(std::span<const std::byte> frame, const FrameDesc& desc, uint32_t channels, uint8_t* to) {
  for (uint32_t y = desc.height; y-- > 0;)
    for (uint32_t x = 0; x < desc.width; ++x) {
      const std::byte* texel = frame.data() + row_offset(desc, y) + x * desc.pixel_stride;
      for (uint32_t c = 0; c < channels; ++c, to += sizeof(float)) {
        const auto value = static_cast<float>(load<D>(texel + channel_offset(desc, c), c));
        std::memcpy(to, &value, sizeof value);
      }
    }
}

}  // namespace

Result<std::vector<uint8_t>> pfm_contents(std::span<const std::byte> frame, const FrameDesc& desc) {
  const uint32_t channels = stat_channels(desc);
  if (!is_exact(desc.dtype) || (channels != 1 && channels != 3))
    return Error{"A PFM file cannot hold this output exactly: it holds 1 or 3 channels of floats.",
                 "Save it as .npy, which keeps every value.",
                 {}};
  const std::string header = std::string(channels == 3 ? "PF" : "Pf") + "\n" + std::to_string(desc.width) + " " +
                             std::to_string(desc.height) + "\n-1.0\n";
  std::vector<uint8_t> out(header.size() + size_t{desc.width} * desc.height * channels * sizeof(float));
  std::memcpy(out.data(), header.data(), header.size());
  with_dtype(desc.dtype, [&](auto tag) {
    if constexpr (is_exact(tag.value)) write_rows<tag.value>(frame, desc, channels, out.data() + header.size());
  });
  return out;
}

}  // namespace seamscope
