// Every dtype through the view pass, at 1:1, against bytes worked out by hand; exact values and bits under the cursor.

#include <doctest/doctest.h>

#include <limits>
#include <ostream>

#include "cpu_passes_frames.hpp"
#include "preview/cpu_ingest.hpp"
#include "preview/cpu_view.hpp"
#include "preview/pixel.hpp"

using namespace seamscope;
using namespace seamscope::test;

namespace {

Rgba first_pixel(const TestFrame& frame, ViewParams params) {
  ThreadPool pool(1);
  Picture picture;
  cpu_view(pool, frame.data(), frame.desc, params, cpu_ingest(pool, frame.data(), frame.desc), picture);
  return pixel_at(picture, 0, 0);
}

template <typename T>
Rgba color(Dtype dtype, uint32_t channels, const std::vector<T>& numbers, ColorSpace space) {
  const TestFrame frame = dense_frame(dtype, 1, 1, channels, numbers, OutputKind::Color, space);
  return first_pixel(frame, whole(frame.desc));
}

// The grey of the first of two data values when 0..10 is shown.
template <typename T>
int grey(Dtype dtype, T value) {
  const TestFrame frame = dense_frame(dtype, 1, 1, 1, std::vector<T>{value});
  ViewParams params = whole(frame.desc);
  params.range = {{0.0, 10.0}};
  return first_pixel(frame, params)[0];
}

}  // namespace

TEST_CASE("half and bfloat decode") {
  struct Row {
    uint16_t bits;
    float f16, bf16;
  };
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const Row& row : {Row{0x0000, 0, 0}, Row{0x3C00, 1, 0.0078125f}, Row{0x0001, 0x1p-24f, 0x1p-133f},
                         Row{0x8400, -0x1p-14f, -0x1p-119f * 1.0f}, Row{0x7BFF, 65504, 0x1.fep120f},
                         Row{0x7C00, kInf, 0x1p121f}, Row{0xFC00, -kInf, -0x1p121f}, Row{0x3F80, 1.875f, 1}}) {
    CAPTURE(row.bits);
    CHECK(decode::f16(row.bits) == row.f16);
    CHECK(decode::bf16(row.bits) == row.bf16);
  }
  CHECK(decode::f16(0x7C01) != decode::f16(0x7C01));
  CHECK(decode::f16(0xFFFF) != decode::f16(0xFFFF));
}

TEST_CASE("packed formats decode") {
  const uint32_t floats = 0x3C0u | 0x400u << 11 | 0x1C0u << 22;
  CHECK(decode::r11g11b10f(floats, 0) == 1.0f);
  CHECK(decode::r11g11b10f(floats, 1) == 2.0f);
  CHECK(decode::r11g11b10f(floats, 2) == 0.5f);
  CHECK(decode::r11g11b10f(1, 0) == 0x1p-20f);
  CHECK(decode::rgb10a2(0xC0000000u | 5u << 20, 2) == 5);
  CHECK(decode::rgb10a2(0xC0000000u, 3) == 3);
  CHECK(decode::d24(0x12FFFFFFu) == 1.0f);
  CHECK(decode::s8(0x12FFFFFFu) == 0x12);
}

TEST_CASE("colour frames are normalised, sRGB bytes shown as they are, linear ones encoded") {
  CHECK(color<uint8_t>(Dtype::U8, 4, {10, 20, 30, 40}, ColorSpace::Srgb) == Rgba{10, 20, 30, 255});
  CHECK(color<uint8_t>(Dtype::U8, 3, {10, 20, 30}, ColorSpace::Srgb) == Rgba{10, 20, 30, 255});
  CHECK(color<uint8_t>(Dtype::U8, 1, {99}, ColorSpace::Srgb) == Rgba{99, 99, 99, 255});
  CHECK(color<uint8_t>(Dtype::U8, 2, {99, 1}, ColorSpace::Srgb) == Rgba{99, 99, 99, 255});
  CHECK(color<uint8_t>(Dtype::U8, 3, {0, 128, 255}, ColorSpace::Linear) == Rgba{0, 188, 255, 255});
  CHECK(color<uint16_t>(Dtype::U16, 3, {0, 257 * 20, 65535}, ColorSpace::Srgb) == Rgba{0, 20, 255, 255});
  CHECK(color<uint16_t>(Dtype::U16, 3, {0, 32896, 65535}, ColorSpace::Linear) == Rgba{0, 188, 255, 255});
  CHECK(color<uint32_t>(Dtype::U32, 1, {2155905152u}, ColorSpace::Linear) == Rgba{188, 188, 188, 255});
  CHECK(color<uint32_t>(Dtype::RGB10A2, 4, {1023u | 0u << 10 | 80u << 20}, ColorSpace::Srgb) == Rgba{255, 0, 20, 255});
  CHECK(color<uint16_t>(Dtype::F16, 3, {0x3C00, 0x3800, 0}, ColorSpace::Linear) == Rgba{255, 188, 0, 255});
  CHECK(color<uint16_t>(Dtype::BF16, 3, {0x3F80, 0x3F00, 0}, ColorSpace::Linear) == Rgba{255, 188, 0, 255});
  CHECK(color<float>(Dtype::F32, 3, {1, 0.5f, -1}, ColorSpace::Linear) == Rgba{255, 188, 0, 255});
  CHECK(color<float>(Dtype::F32, 3, {1, 0.2f, 2}, ColorSpace::Srgb) == Rgba{255, 51, 255, 255});
  CHECK(color<double>(Dtype::F64, 3, {1, 0.5, 1e300}, ColorSpace::Linear) == Rgba{255, 188, 255, 255});
  CHECK(color<uint32_t>(Dtype::R11G11B10F, 3, {0x3C0u | 0x380u << 11}, ColorSpace::Linear) == Rgba{255, 188, 0, 255});
}

TEST_CASE("data frames map their range to black and white without encoding") {
  CHECK(grey<uint8_t>(Dtype::Bool, 200) == 26);  // true is 1
  CHECK(grey<uint8_t>(Dtype::U8, 5) == 128);
  CHECK(grey<int8_t>(Dtype::I8, -5) == 0);
  CHECK(grey<uint16_t>(Dtype::U16, 2) == 51);
  CHECK(grey<int16_t>(Dtype::I16, 2) == 51);
  CHECK(grey<uint32_t>(Dtype::U32, 2) == 51);
  CHECK(grey<int32_t>(Dtype::I32, 20) == 255);
  CHECK(grey<int64_t>(Dtype::I64, 2) == 51);
  CHECK(grey<uint16_t>(Dtype::F16, 0x4000) == 51);
  CHECK(grey<uint16_t>(Dtype::BF16, 0x4000) == 51);
  CHECK(grey<float>(Dtype::F32, 2) == 51);
  CHECK(grey<double>(Dtype::F64, 2) == 51);
  CHECK(grey<uint32_t>(Dtype::D24S8, 0xABFFFFFFu) == 26);
}

TEST_CASE("cursor values are exact, with their bits") {
  using Value = std::variant<double, std::string>;
  const auto pixel = [](const TestFrame& frame, uint32_t x = 0, uint32_t y = 0) {
    return read_pixel(frame.data(), frame.desc, x, y);
  };
  const Pixel half = pixel(dense_frame<uint16_t>(Dtype::F16, 1, 1, 4, {0x3C00, 0x0001, 0x7E00, 0xFC00}));
  CHECK(half.values == std::vector<Value>{1.0, 0x1p-24, "NaN", "-Infinity"});
  CHECK(half.hex == std::vector<std::string>{"3c00", "0001", "7e00", "fc00"});

  const Pixel ids = pixel(dense_frame<int64_t>(Dtype::I64, 1, 1, 3, {int64_t{1} << 53, (int64_t{1} << 53) + 1, -1}));
  CHECK(ids.values == std::vector<Value>{9007199254740992.0, "0x20000000000001", -1.0});
  CHECK(ids.hex == std::vector<std::string>{"0020000000000000", "0020000000000001", "ffffffffffffffff"});
  const auto lowest = std::numeric_limits<int64_t>::min();
  CHECK(pixel(dense_frame<int64_t>(Dtype::I64, 1, 1, 1, {lowest})).values[0] == Value{"-0x8000000000000000"});

  const Pixel packed =
      pixel(dense_frame<uint32_t>(Dtype::RGB10A2, 1, 1, 4, {1023u | 1u << 10 | 512u << 20 | 2u << 30}));
  CHECK(packed.values == std::vector<Value>{1023.0, 1.0, 512.0, 2.0});
  CHECK(packed.hex == std::vector<std::string>{"3ff", "001", "200", "2"});
  const Pixel depth = pixel(dense_frame<uint32_t>(Dtype::D24S8, 1, 1, 2, {0x07FFFFFFu}));
  CHECK(depth.values == std::vector<Value>{1.0, 7.0});
  CHECK(depth.hex == std::vector<std::string>{"ffffff", "07"});
  CHECK(pixel(dense_frame<uint32_t>(Dtype::R11G11B10F, 1, 1, 3, {0x3C0u | 0x400u << 11})).hex ==
        std::vector<std::string>{"3c0", "400", "000"});

  TestFrame rows = dense_frame<uint8_t>(Dtype::U8, 2, 2, 1, {1, 2, 3, 4});
  CHECK(pixel(rows, 1, 0).values[0] == Value{2.0});
  rows.desc.bottom_up = true;
  CHECK(pixel(rows, 1, 0).values[0] == Value{4.0});
}
