// Ingest: extremes and counts for every dtype and layout against values written by hand.

#include <doctest/doctest.h>

#include <limits>

#include "cpu_passes_frames.hpp"
#include "preview/cpu_ingest.hpp"

using namespace seamscope;
using namespace seamscope::test;

namespace {

void check(const FrameStats& got, const FrameStats& want) {
  CHECK(got.min == want.min);
  CHECK(got.max == want.max);
  CHECK(got.nan == want.nan);
  CHECK(got.inf == want.inf);
  CHECK(got.negative == want.negative);
}

FrameStats ingest(const TestFrame& frame) {
  ThreadPool pool(2);
  return cpu_ingest(pool, frame.data(), frame.desc);
}

// Spreads `few` over a frame large enough for the vector loops, with filler values in between.
template <typename T>
TestFrame scattered(Dtype dtype, T filler, const std::vector<T>& few) {
  std::vector<T> numbers(101 * 37, filler);
  for (size_t i = 0; i < few.size(); ++i) numbers[i * 271 + 5] = few[i];
  return dense_frame(dtype, 101, 37, 1, numbers);
}

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("ingest counts and bounds every dtype") {
  check(ingest(scattered<uint8_t>(Dtype::Bool, 0, {1, 255})), {0, 1, 0, 0, 0});
  check(ingest(scattered<uint8_t>(Dtype::U8, 7, {3, 250})), {3, 250, 0, 0, 0});
  check(ingest(scattered<int8_t>(Dtype::I8, 7, {-128, -1, 127})), {-128, 127, 0, 0, 2});
  check(ingest(scattered<uint16_t>(Dtype::U16, 700, {65535, 1})), {1, 65535, 0, 0, 0});
  check(ingest(scattered<int16_t>(Dtype::I16, 700, {-32768, 32767})), {-32768, 32767, 0, 0, 1});
  check(ingest(scattered<uint32_t>(Dtype::U32, 7, {4294967295u, 2})), {2, 4294967295.0, 0, 0, 0});
  check(ingest(scattered<int32_t>(Dtype::I32, 7, {-2147483647 - 1, 9})), {-2147483648.0, 9, 0, 0, 1});
  check(ingest(scattered<int64_t>(Dtype::I64, 7, {-5, int64_t{1} << 40})), {-5, 1099511627776.0, 0, 0, 1});
  check(ingest(scattered<uint16_t>(Dtype::F16, 0x3C00, {0xC000, 0x7C00, 0xFC00, 0x7E00, 0x7BFF, 0x8000})),
        {-2, 65504, 1, 2, 1});
  check(ingest(scattered<uint16_t>(Dtype::BF16, 0x3F80, {0xC000, 0x7F80, 0x7FC0, 0xFFC1, 0x4000})), {-2, 2, 2, 1, 1});
  check(ingest(scattered<float>(Dtype::F32, 1, {-0.0f, kNan, -kNan, kInf, -kInf, -3e-45f, 8})),
        {-2.802596928649634e-45, 8, 2, 2, 1});
  check(ingest(scattered<double>(Dtype::F64, 1, {-1e300, kNan, kInf, 1e300})), {-1e300, 1e300, 1, 1, 1});
  // Red 1.0, green 2.0, blue 0.5; and one whose blue is NaN.
  check(ingest(dense_frame<uint32_t>(Dtype::R11G11B10F, 2, 1, 3,
                                     {0x3C0u | 0x400u << 11 | 0x1C0u << 22, 0x3C0u | 0x400u << 11 | 0x3E1u << 22})),
        {0.5, 2, 1, 0, 0});
  check(ingest(dense_frame<uint32_t>(Dtype::RGB10A2, 1, 1, 4, {1u | 1023u << 10 | 512u << 20})), {1, 1023, 0, 0, 0});
  check(ingest(dense_frame<uint32_t>(Dtype::D24S8, 2, 1, 2, {0xFF000000u, 0x00FFFFFFu})), {0, 1, 0, 0, 0});
}

TEST_CASE("ingest reports zero extremes when nothing is finite or there is no frame") {
  check(ingest(dense_frame<float>(Dtype::F32, 3, 1, 1, {kNan, kInf, -kInf})), {0, 0, 1, 2, 0});
  check(ingest(TestFrame{}), {0, 0, 0, 0, 0});
}

TEST_CASE("ingest leaves alpha out of colour frames only") {
  const std::vector<float> rgba{0.25f, 0.5f, 0.75f, -kInf, 0.125f, 0.5f, 0.5f, 9};
  check(ingest(dense_frame(Dtype::F32, 2, 1, 4, rgba, OutputKind::Hdr, ColorSpace::Linear)), {0.125, 0.75, 0, 0, 0});
  check(ingest(dense_frame(Dtype::F32, 2, 1, 4, rgba)), {0.125, 9, 0, 1, 0});
  check(ingest(dense_frame(Dtype::F32, 4, 1, 2, rgba, OutputKind::Color, ColorSpace::Linear)), {0.125, 0.75, 0, 0, 0});
}

TEST_CASE("ingest reads planes, padded rows and padded texels and nothing between them") {
  const float bad = kNan;
  TestFrame planes;
  planes.desc = {2, 2, 3, Dtype::F32, OutputKind::Tensor, ColorSpace::Data, 12, 4, 24, false};
  for (float v : {1.f, 2.f, bad, 3.f, 4.f, bad, 5.f, 6.f, bad, 7.f, 8.f, bad, 9.f, 10.f, bad, 11.f, 12.f}) {
    const auto* raw = reinterpret_cast<const std::byte*>(&v);
    planes.bytes.insert(planes.bytes.end(), raw, raw + 4);
  }
  check(ingest(planes), {1, 12, 0, 0, 0});

  TestFrame padded = planes;  // three channels in texels of four
  padded.desc = {3, 1, 3, Dtype::F32, OutputKind::Tensor, ColorSpace::Data, 48, 16, 4, false};
  std::vector<float> numbers{1, 2, 3, bad, 4, 5, 6, bad, 7, 8, 9};
  std::memcpy(padded.bytes.data(), numbers.data(), 44);
  padded.bytes.resize(44);
  check(ingest(padded), {1, 9, 0, 0, 0});

  TestFrame sparse = planes;  // every fifth number
  sparse.desc = {2, 1, 1, Dtype::F32, OutputKind::Tensor, ColorSpace::Data, 40, 20, 4, false};
  check(ingest(sparse), {1, 1, 1, 0, 0});  // numbers 0 and 5: 1 and NaN
}

TEST_CASE("ingest counts more specials than a vector lane can") {
  const std::vector<uint16_t> numbers(300000, 0x7E00);
  check(ingest(dense_frame(Dtype::F16, 300000, 1, 1, numbers)), {0, 0, 300000, 0, 0});
}
