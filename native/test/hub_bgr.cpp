// Blue first becomes red first, in every layout.

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "frames/swap_bgr.hpp"
#include "preview/texel.hpp"

using namespace seamscope;
using frames::can_swap_bgr;
using frames::swap_bgr;

namespace {

struct Layout {
  Dtype dtype;
  uint32_t channels;
  uint64_t pixel_stride, channel_stride, row_stride;
};

FrameDesc desc_of(const Layout& layout) {
  FrameDesc desc;
  desc.width = 3;
  desc.height = 2;
  desc.channels = layout.channels;
  desc.dtype = layout.dtype;
  desc.pixel_stride = layout.pixel_stride;
  desc.channel_stride = layout.channel_stride;
  desc.row_stride = layout.row_stride;
  desc.batches = 2;
  desc.batch_stride = 512;
  return desc;
}

// Where a channel of a texel lies.
uint64_t place(const FrameDesc& desc, uint32_t batch, uint32_t x, uint32_t y, uint32_t channel) {
  return batch * desc.batch_stride + y * desc.row_stride + x * desc.pixel_stride + channel * desc.channel_stride;
}

}  // namespace

TEST_CASE("the first and the third channel are swapped, the others and the padding stay") {
  const Layout layouts[] = {{Dtype::U8, 4, 4, 1, 12},   {Dtype::U8, 3, 3, 1, 12},   {Dtype::U8, 4, 8, 1, 40},
                            {Dtype::F16, 4, 8, 2, 24},  {Dtype::F32, 4, 16, 4, 64}, {Dtype::F64, 3, 24, 8, 72},
                            {Dtype::U16, 3, 2, 64, 16}, {Dtype::F32, 3, 4, 128, 20}};
  for (const Layout& layout : layouts) {
    const FrameDesc desc = desc_of(layout);
    REQUIRE(can_swap_bgr(desc));
    const uint64_t size = dtype_size(desc.dtype);
    std::vector<std::byte> bytes(batch_bytes(desc));
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(i * 31 + i / 256);
    auto expected = bytes;
    for (uint32_t batch = 0; batch < 2; ++batch)
      for (uint32_t y = 0; y < 2; ++y)
        for (uint32_t x = 0; x < 3; ++x)
          for (const uint32_t channel : {0u, 2u})
            std::memcpy(expected.data() + place(desc, batch, x, y, channel),
                        bytes.data() + place(desc, batch, x, y, 2 - channel), size);
    swap_bgr(bytes, desc);
    CHECK(bytes == expected);
    swap_bgr(bytes, desc);
    CHECK(bytes != expected);
  }
}

TEST_CASE("packed texels of ten bits a channel") {
  FrameDesc desc = desc_of({Dtype::RGB10A2, 4, 4, 0, 12});
  desc.width = desc.height = desc.batches = 1;
  std::vector<std::byte> bytes(4);
  const uint32_t blue_first = 0x80000000u | 3u << 20 | 2u << 10 | 1u,
                 red_first = 0x80000000u | 1u << 20 | 2u << 10 | 3u;
  std::memcpy(bytes.data(), &blue_first, 4);
  REQUIRE(can_swap_bgr(desc));
  swap_bgr(bytes, desc);
  CHECK(std::memcmp(bytes.data(), &red_first, 4) == 0);
}

TEST_CASE("what cannot be swapped in place is said to be so") {
  CHECK_FALSE(can_swap_bgr(desc_of({Dtype::U8, 2, 2, 1, 8})));
  CHECK_FALSE(can_swap_bgr(desc_of({Dtype::U8, 3, 0, 1, 8})));  // all texels are one
  CHECK_FALSE(can_swap_bgr(desc_of({Dtype::F32, 3, 12, 2, 64})));
  CHECK_FALSE(can_swap_bgr(desc_of({Dtype::R11G11B10F, 3, 4, 0, 12})));
}
