#include "frames/swap_bgr.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#include "preview/texel.hpp"

namespace seamscope::frames {
namespace {

// Applies to every texel's first byte, row by row.
template <typename Swap>
void each_texel(std::byte* bytes, const FrameDesc& desc, Swap swap) {
  for (uint32_t batch = 0; batch < desc.batches; ++batch) {
    for (uint32_t y = 0; y < desc.height; ++y) {
      std::byte* texel = bytes + batch * desc.batch_stride + y * desc.row_stride;
      for (uint32_t x = 0; x < desc.width; ++x, texel += desc.pixel_stride) swap(texel);
    }
  }
}

template <typename Word, typename Change>
void change_word(std::byte* at, Change change) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  word = change(word);
  std::memcpy(at, &word, sizeof word);
}

template <typename Number>
void swap_numbers(std::byte* bytes, const FrameDesc& desc) {
  each_texel(bytes, desc, [far = 2 * desc.channel_stride](std::byte* texel) {
    Number first, third;
    std::memcpy(&first, texel, sizeof first);
    std::memcpy(&third, texel + far, sizeof third);
    std::memcpy(texel, &third, sizeof third);
    std::memcpy(texel + far, &first, sizeof first);
  });
}

void swap_rgba8(std::byte* bytes, const FrameDesc& desc) {
  each_texel(bytes, desc, [](std::byte* texel) {
    change_word<uint32_t>(
        texel, [](uint32_t word) { return (word & 0xFF00FF00u) | (word >> 16 & 0xFFu) | (word & 0xFFu) << 16; });
  });
}

void swap_rgb10a2(std::byte* bytes, const FrameDesc& desc) {
  each_texel(bytes, desc, [](std::byte* texel) {
    change_word<uint32_t>(
        texel, [](uint32_t word) { return (word & 0xC00FFC00u) | (word >> 20 & 0x3FFu) | (word & 0x3FFu) << 20; });
  });
}

}  // namespace

bool can_swap_bgr(const FrameDesc& desc) {
  const uint64_t size = dtype_size(desc.dtype);
  const auto apart = [size](uint32_t count, uint64_t stride) { return count < 2 || stride >= size; };
  if (desc.dtype != Dtype::RGB10A2 &&
      (is_packed(desc.dtype) || desc.channels < 3 || !apart(desc.channels, desc.channel_stride)))
    return false;
  return apart(desc.width, desc.pixel_stride) && apart(desc.height, desc.row_stride) &&
         apart(desc.batches, desc.batch_stride);
}

void swap_bgr(std::span<std::byte> bytes, const FrameDesc& desc) {
  const uint64_t size = dtype_size(desc.dtype);
  if (desc.dtype == Dtype::RGB10A2) return swap_rgb10a2(bytes.data(), desc);
  if (size == 1 && desc.channels == 4 && desc.channel_stride == 1 && desc.pixel_stride == 4)
    return swap_rgba8(bytes.data(), desc);
  if (size == 1) return swap_numbers<uint8_t>(bytes.data(), desc);
  if (size == 2) return swap_numbers<uint16_t>(bytes.data(), desc);
  if (size == 4) return swap_numbers<uint32_t>(bytes.data(), desc);
  swap_numbers<uint64_t>(bytes.data(), desc);
}

}  // namespace seamscope::frames
