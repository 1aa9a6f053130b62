// The looks that are made for one kind of data: labels, truth values, directions, and the overlays one by one.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include "cpu_passes_frames.hpp"
#include "preview/cpu_ingest.hpp"
#include "preview/cpu_view.hpp"

using namespace seamscope;
using namespace seamscope::test;

namespace {

Picture shown(const TestFrame& frame, const ViewParams& params) {
  ThreadPool pool(1);
  Picture picture;
  cpu_view(pool, frame.data(), frame.desc, params, cpu_ingest(pool, frame.data(), frame.desc), picture);
  return picture;
}

ViewParams look(const TestFrame& frame, FalseColor map) {
  ViewParams params = whole(frame.desc);
  params.false_color = map;
  return params;
}

}  // namespace

TEST_CASE("labels have the colours of the table, whatever else is in the frame") {
  const auto frame = dense_frame<int32_t>(Dtype::I32, 6, 1, 1, {0, 1, 2, 15, 255, 256 + 15}, OutputKind::Id);
  const Picture picture = shown(frame, look(frame, FalseColor::Labels));
  const Rgba expected[] = {{0, 0, 0, 255},       {128, 0, 0, 255},     {0, 128, 0, 255},
                           {192, 128, 128, 255}, {224, 224, 192, 255}, {192, 128, 128, 255}};
  for (uint32_t x = 0; x < 6; ++x) CHECK(pixel_at(picture, x, 0) == expected[x]);
}

TEST_CASE("truth values are black and white even where all of them are true") {
  const auto all = dense_frame<uint8_t>(Dtype::Bool, 2, 1, 1, {1, 7});
  CHECK(pixel_at(shown(all, look(all, FalseColor::Bool)), 0, 0) == Rgba{255, 255, 255, 255});
  const auto numbers = dense_frame<float>(Dtype::F32, 4, 1, 1, {0.0f, -0.0f, -3.0f, 1e-20f});
  const Picture picture = shown(numbers, look(numbers, FalseColor::Bool));
  const int expected[] = {0, 0, 255, 255};
  for (uint32_t x = 0; x < 4; ++x) CHECK(pixel_at(picture, x, 0)[0] == expected[x]);
  ViewParams half = look(numbers, FalseColor::Bool);
  half.width = 1;
  CHECK(pixel_at(shown(numbers, half), 0, 0)[0] == 128);
}

TEST_CASE("normals show -1..1 as 0..255, encoded ones as they are, and two channels get their third") {
  const auto floats = dense_frame<float>(Dtype::F32, 1, 1, 3, {-1.0f, 0.0f, 1.0f}, OutputKind::Normal);
  CHECK(pixel_at(shown(floats, look(floats, FalseColor::Normal)), 0, 0) == Rgba{0, 128, 255, 255});
  const auto bytes = dense_frame<uint8_t>(Dtype::U8, 1, 1, 3, {0, 128, 255}, OutputKind::Normal, ColorSpace::Srgb);
  CHECK(pixel_at(shown(bytes, look(bytes, FalseColor::Normal)), 0, 0) == Rgba{0, 128, 255, 255});
  const auto signed_bytes = dense_frame<int8_t>(Dtype::I8, 1, 1, 3, {-127, 0, 127}, OutputKind::Normal);
  CHECK(pixel_at(shown(signed_bytes, look(signed_bytes, FalseColor::Normal)), 0, 0) == Rgba{0, 128, 255, 255});
  const auto two = dense_frame<float>(Dtype::F32, 1, 1, 2, {0.6f, 0.0f}, OutputKind::Normal);
  CHECK(pixel_at(shown(two, look(two, FalseColor::Normal)), 0, 0) == Rgba{204, 128, 230, 255});
}

TEST_CASE("motion is white at rest, its direction a hue and its length over the range the saturation") {
  const auto frame = dense_frame<float>(Dtype::F32, 4, 1, 2, {0, 0, 4, 0, -4, 0, 2, 0}, OutputKind::Motion);
  ViewParams params = look(frame, FalseColor::Motion);
  const Picture picture = shown(frame, params);
  CHECK(pixel_at(picture, 0, 0) == Rgba{255, 255, 255, 255});
  CHECK(pixel_at(picture, 1, 0) == Rgba{255, 0, 0, 255});
  CHECK(pixel_at(picture, 2, 0) == Rgba{0, 255, 255, 255});
  CHECK(pixel_at(picture, 3, 0) == Rgba{255, 128, 128, 255});
  params.range = {{0.0, 2.0}};
  CHECK(pixel_at(shown(frame, params), 3, 0) == Rgba{255, 0, 0, 255});
}

TEST_CASE("a diverging map is black at 0, red above and blue below, by the same length to both sides") {
  const auto frame = dense_frame<float>(Dtype::F32, 4, 1, 1, {0, 2, -2, 1}, OutputKind::Tensor);
  ViewParams params = look(frame, FalseColor::Diverging);
  const Rgba black{0, 0, 0, 255}, red{255, 77, 46, 255}, blue{41, 120, 255, 255};
  const Picture own = shown(frame, params);
  CHECK(pixel_at(own, 0, 0) == black);
  CHECK(pixel_at(own, 1, 0) == red);
  CHECK(pixel_at(own, 2, 0) == blue);
  params.range = {{-4.0, 4.0}};
  const Picture held = shown(frame, params);
  CHECK(pixel_at(held, 0, 0) == black);
  CHECK(pixel_at(held, 1, 0) == Rgba{128, 38, 23, 255});
  params.exposure = 1;
  const Picture gained = shown(frame, params);
  CHECK(pixel_at(gained, 0, 0) == black);
  CHECK(pixel_at(gained, 1, 0) == red);
  CHECK(pixel_at(gained, 3, 0) == Rgba{128, 38, 23, 255});
}

TEST_CASE(
    "a diverging map of frames with several channels takes their luminance, and nothing from those that are off") {
  const auto frame = dense_frame<float>(Dtype::F32, 2, 1, 3, {1, 1, 1, 0, 0, -1}, OutputKind::Tensor);
  ViewParams params = look(frame, FalseColor::Diverging);
  params.range = {{-1.0, 1.0}};
  CHECK(pixel_at(shown(frame, params), 0, 0) == Rgba{255, 77, 46, 255});
  CHECK(pixel_at(shown(frame, params), 1, 0) == Rgba{3, 9, 18, 255});
  params.channel_mask = 4;
  CHECK(pixel_at(shown(frame, params), 1, 0) == Rgba{41, 120, 255, 255});
  params.channel_mask = 3;
  CHECK(pixel_at(shown(frame, params), 1, 0) == Rgba{0, 0, 0, 255});
}

TEST_CASE("each overlay marks what it is for and nothing else") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto frame = dense_frame<float>(Dtype::F32, 4, 1, 1, {NAN, -kInf, -0.5f, 0.5f}, OutputKind::Depth);
  const Rgba marks[] = {{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}};
  for (uint32_t overlays = 0; overlays < 8; ++overlays) {
    CAPTURE(overlays);
    ViewParams params = look(frame, FalseColor::None);
    params.overlay_nan = overlays & 1;
    params.overlay_inf = overlays & 2;
    params.overlay_negative = overlays & 4;
    const Picture picture = shown(frame, params);
    for (uint32_t x = 0; x < 3; ++x) CHECK((pixel_at(picture, x, 0) == marks[x]) == ((overlays >> x & 1) != 0));
    CHECK(pixel_at(picture, 3, 0) == Rgba{255, 255, 255, 255});
  }
  auto normals = frame;
  normals.desc.kind = OutputKind::Normal;
  ViewParams params = look(normals, FalseColor::Normal);
  params.overlay_negative = true;
  CHECK(pixel_at(shown(normals, params), 2, 0) != marks[2]);
}
