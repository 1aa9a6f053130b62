#pragma once
// Frames for tests of the passes: bytes with a description.

#include <cstring>
#include <initializer_list>
#include <vector>

#include "preview/passes.hpp"
#include "preview/texel.hpp"

namespace seamscope::test {

struct TestFrame {
  FrameDesc desc;
  std::vector<std::byte> bytes;
  const std::byte* data() const { return bytes.data(); }
};

// Densely interleaved (HWC); `numbers` are stored as they are, T being as wide as the dtype.
template <typename T>
TestFrame dense_frame(Dtype dtype, uint32_t width, uint32_t height, uint32_t channels, const std::vector<T>& numbers,
                      OutputKind kind = OutputKind::Tensor, ColorSpace space = ColorSpace::Data) {
  TestFrame frame;
  const uint64_t size = dtype_size(dtype), texel = is_packed(dtype) ? size : size * channels;
  frame.desc = {width, height, channels, dtype, kind, space, texel * width, texel, is_packed(dtype) ? 0 : size, false};
  frame.bytes.resize(numbers.size() * sizeof(T));
  std::memcpy(frame.bytes.data(), numbers.data(), frame.bytes.size());
  return frame;
}

// The whole frame at 1:1, without any adjustment.
inline ViewParams whole(const FrameDesc& desc) {
  ViewParams params;
  params.width = desc.width;
  params.height = desc.height;
  params.rect_w = desc.width;
  params.rect_h = desc.height;
  params.overlay_nan = params.overlay_inf = params.overlay_negative = false;
  return params;
}

using Rgba = std::array<int, 4>;
inline Rgba pixel_at(const Picture& picture, uint32_t x, uint32_t y) {
  const uint8_t* p = picture.rgba.data() + (size_t{y} * picture.width + x) * 4;
  return {p[0], p[1], p[2], p[3]};
}

}  // namespace seamscope::test
