// The view pass: filters, geometry, tone, masks, false colour and overlays.

#include <doctest/doctest.h>

#include <limits>
#include <ostream>
#include <random>

#include "cpu_passes_frames.hpp"
#include "preview/axis_taps.hpp"
#include "preview/cpu_ingest.hpp"
#include "preview/cpu_view.hpp"
#include "preview/view_math.hpp"

using namespace seamscope;
using namespace seamscope::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

Picture view(const TestFrame& frame, const ViewParams& params) {
  ThreadPool pool(2);
  Picture picture;
  cpu_view(pool, frame.data(), frame.desc, params, cpu_ingest(pool, frame.data(), frame.desc), picture);
  return picture;
}

TestFrame hdr(uint32_t width, uint32_t height, const std::vector<float>& rgb) {
  return dense_frame(Dtype::F32, width, height, 3, rgb, OutputKind::Hdr, ColorSpace::Linear);
}

TestFrame random_bytes(uint32_t width, uint32_t height, uint32_t channels) {
  std::mt19937 random(7);
  std::vector<uint8_t> bytes(size_t{width} * height * channels);
  for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
  return dense_frame(Dtype::U8, width, height, channels, bytes, OutputKind::Color, ColorSpace::Srgb);
}

// The same numbers with an overlay that is switched on but finds nothing: keeps the general path where the byte path
// would serve.
ViewParams general_path(ViewParams params) {
  params.overlay_clip = true;
  return params;
}

Rgba opaque(const view_math::Rgb8& color) {
  return {color.r, color.g, color.b, 255};
}

}  // namespace

TEST_CASE("taps: nearest when magnified, overlaps when minified, nothing outside") {
  const auto magnified = axis_taps(4, 0, 2, 2, false);
  CHECK(magnified[0].first == 0);
  CHECK(magnified[1].first == 0);
  CHECK(magnified[2].first == 1);
  CHECK(magnified[3].count == 1);

  const auto minified = axis_taps(2, 0, 5, 5, false);  // 2.5 texels a pixel
  CHECK(minified[0].first == 0);
  CHECK(minified[0].count == 3);
  CHECK(minified[0].head == 1.0f);
  CHECK(minified[0].tail == 0.5f);
  CHECK(minified[1].first == 2);
  CHECK(minified[1].head == 0.5f);
  CHECK(total_weight(minified[1]) == 2.5f);

  const auto outside = axis_taps(4, -4, 8, 2, false);  // pixels of 2 texels, only the third inside
  CHECK(outside[1].count == 0);
  CHECK(outside[2].count == 2);
  CHECK(outside[3].count == 0);

  const auto flipped = axis_taps(2, 0, 5, 5, true);
  CHECK(flipped[0].first == 2);
  CHECK(flipped[0].head == 0.5f);
  CHECK(flipped[0].tail == 1.0f);
  CHECK(axis_taps(1, std::numeric_limits<double>::quiet_NaN(), 5, 5, false)[0].count == 0);
  CHECK(axis_taps(1, -1e300, 2e300, 5, false)[0].count == 5);
}

TEST_CASE("every sRGB byte survives, on the byte path and on the general one") {
  const TestFrame frame = random_bytes(61, 43, 4);
  const ViewParams params = whole(frame.desc);
  const Picture fast = view(frame, params), general = view(frame, general_path(params));
  CHECK(fast.rgba == general.rgba);
  for (size_t i = 0; i < fast.rgba.size(); ++i)
    if (fast.rgba[i] != (i % 4 == 3 ? 255 : static_cast<uint8_t>(frame.bytes[i]))) FAIL(i);
}

TEST_CASE("the byte path equals the general one") {
  for (const uint32_t channels : {1u, 3u, 4u})
    for (int variant = 0; variant < 6; ++variant) {
      CAPTURE(channels);
      CAPTURE(variant);
      const TestFrame frame = random_bytes(61, 43, channels);
      ViewParams params = whole(frame.desc);
      if (variant == 1) params.exposure = -1.5f;
      if (variant == 2) params.gamma = 2.2f, params.swap_rb = true;
      if (variant == 3) params.exposure = -2, params.tone_map = ToneMap::Aces, params.flip_y = true;
      if (variant == 4) params.rect_w = params.rect_h = 17, params.x = 3.3, params.y = -5;
      if (variant == 5) params.x = -10, params.y = 12;
      CHECK(view(frame, params).rgba == view(frame, general_path(params)).rgba);
    }
}

TEST_CASE("minifying averages light, not codes") {
  const TestFrame frame = dense_frame<uint8_t>(Dtype::U8, 2, 2, 3, {255, 0, 0, 0, 0, 0, 255, 0, 255, 0, 0, 255},
                                               OutputKind::Color, ColorSpace::Srgb);
  ViewParams params = whole(frame.desc);
  params.width = params.height = 1;
  CHECK(pixel_at(view(frame, params), 0, 0) == Rgba{188, 0, 188, 255});
}

TEST_CASE("an area filter weighs texels by their overlap") {
  const TestFrame frame = dense_frame<float>(Dtype::F32, 3, 1, 1, {0, 1, 4});
  ViewParams params = whole(frame.desc);
  params.range = {{0.0, 4.0}};
  params.width = 2;
  params.height = 1;
  const Picture picture = view(frame, params);
  CHECK(pixel_at(picture, 0, 0)[0] == 21);   // (0 + 1/2) / 1.5 of 4
  CHECK(pixel_at(picture, 1, 0)[0] == 191);  // (1/2 + 4) / 1.5 of 4
}

TEST_CASE("outside the frame is transparent black") {
  const TestFrame frame = random_bytes(4, 4, 4);
  ViewParams params = whole(frame.desc);
  params.x = -2;
  params.y = 2;
  for (const ViewParams& p : {params, general_path(params)}) {
    const Picture picture = view(frame, p);
    CHECK(pixel_at(picture, 0, 0) == Rgba{0, 0, 0, 0});
    CHECK(pixel_at(picture, 2, 0)[3] == 255);
    CHECK(pixel_at(picture, 2, 2) == Rgba{0, 0, 0, 0});
  }
  params.false_color = FalseColor::Ids;
  CHECK(pixel_at(view(frame, params), 0, 0) == Rgba{0, 0, 0, 0});
}

TEST_CASE("rows: bottom-up frames and flip cancel") {
  TestFrame frame = dense_frame<uint8_t>(Dtype::U8, 1, 2, 1, {10, 200}, OutputKind::Color, ColorSpace::Srgb);
  ViewParams params = whole(frame.desc);
  CHECK(pixel_at(view(frame, params), 0, 0)[0] == 10);
  params.flip_y = true;
  CHECK(pixel_at(view(frame, params), 0, 0)[0] == 200);
  frame.desc.bottom_up = true;
  CHECK(pixel_at(view(frame, params), 0, 0)[0] == 10);
}

TEST_CASE("planes give the same picture as interleaved texels") {
  const TestFrame frame = random_bytes(33, 21, 3);
  TestFrame planes = frame;
  planes.desc.row_stride = 33;
  planes.desc.pixel_stride = 1;
  planes.desc.channel_stride = 33 * 21;
  for (size_t i = 0; i < frame.bytes.size(); ++i) planes.bytes[i % 3 * 33 * 21 + i / 3] = frame.bytes[i];
  ViewParams params = whole(frame.desc);
  CHECK(view(frame, params).rgba == view(planes, params).rgba);
  params.width = 10;
  params.height = 7;
  CHECK(view(frame, params).rgba == view(planes, params).rgba);
}

TEST_CASE("exposure, tone maps and gamma") {
  const TestFrame frame = hdr(1, 1, {0.25f, 1, 4});
  ViewParams params = whole(frame.desc);
  params.exposure = 1;
  CHECK(pixel_at(view(frame, params), 0, 0) == Rgba{188, 255, 255, 255});
  params.exposure = 0;
  params.tone_map = ToneMap::Reinhard;
  CHECK(pixel_at(view(frame, params), 0, 0) == Rgba{124, 188, 231, 255});  // 0.2, 0.5, 0.8
  params.tone_map = ToneMap::Aces;
  const auto aces = [](float v) { return int{view_math::quantise(view_math::srgb_encode(view_math::aces(v)))}; };
  CHECK(pixel_at(view(frame, params), 0, 0) == Rgba{aces(0.25f), aces(1), aces(4), 255});
  params.tone_map = ToneMap::None;
  params.gamma = 2;
  CHECK(pixel_at(view(frame, params), 0, 0) == Rgba{188, 255, 255, 255});  // the root of 0.25
}

TEST_CASE("the channel mask hides colours or isolates one") {
  const TestFrame frame =
      dense_frame<uint8_t>(Dtype::U8, 1, 1, 4, {10, 20, 30, 255}, OutputKind::Color, ColorSpace::Srgb);
  struct Row {
    uint32_t mask;
    Rgba want;
  };
  for (const Row& row : {Row{0xF, {10, 20, 30, 255}}, Row{0x7, {10, 20, 30, 255}}, Row{0x3, {10, 20, 0, 255}},
                         Row{0x2, {20, 20, 20, 255}}, Row{0x8, {255, 255, 255, 255}}, Row{0x0, {0, 0, 0, 255}}}) {
    CAPTURE(row.mask);
    ViewParams params = whole(frame.desc);
    params.channel_mask = row.mask;
    CHECK(pixel_at(view(frame, params), 0, 0) == row.want);
  }
}

TEST_CASE("false colour maps the range of the frame") {
  const TestFrame frame = dense_frame<float>(Dtype::F32, 3, 1, 1, {-1, 0, 1});
  ViewParams params = whole(frame.desc);
  CHECK(pixel_at(view(frame, params), 1, 0) == Rgba{128, 128, 128, 255});
  params.false_color = FalseColor::Viridis;
  const Picture viridis = view(frame, params);
  CHECK(pixel_at(viridis, 0, 0) == Rgba{71, 1, 85, 255});
  CHECK(pixel_at(viridis, 2, 0)[0] > 240);
  params.false_color = FalseColor::Turbo;
  const auto middle = view_math::color_map(view_math::kTurbo, 0.5f);
  CHECK(std::abs(pixel_at(view(frame, params), 1, 0)[1] - view_math::quantise(middle[1])) <= 1);
}

TEST_CASE("identifiers keep their colours and are never mixed") {
  const TestFrame frame = dense_frame<uint32_t>(Dtype::U32, 4, 1, 1, {0, 7, 4000000000u, 7}, OutputKind::Id);
  ViewParams params = whole(frame.desc);
  params.false_color = FalseColor::Ids;
  const Picture picture = view(frame, params);
  CHECK(pixel_at(picture, 0, 0) == Rgba{0, 0, 0, 255});
  CHECK(pixel_at(picture, 1, 0) == opaque(view_math::palette(7)));
  CHECK(pixel_at(picture, 2, 0) == opaque(view_math::palette(4000000000u)));
  CHECK(pixel_at(picture, 1, 0) == pixel_at(picture, 3, 0));
  params.width = 2;
  CHECK(pixel_at(view(frame, params), 0, 0) == opaque(view_math::palette(7)));
  const TestFrame wide = dense_frame<int64_t>(Dtype::I64, 2, 1, 1, {7, (int64_t{5} << 32) + 7}, OutputKind::Id);
  params.width = 2;
  params.rect_w = 2;
  CHECK(pixel_at(view(wide, params), 0, 0) == opaque(view_math::palette(7)));
  CHECK(pixel_at(view(wide, params), 1, 0) == opaque(view_math::palette(view_math::id_key(7, 5))));
}

TEST_CASE("one bad texel among many marks at least one pixel") {
  struct Row {
    float value;
    view_math::Rgb8 want;
  };
  for (const Row& row : {Row{kNan, view_math::kNan}, Row{kInf, view_math::kInf}, Row{-kInf, view_math::kInf},
                         Row{-0.5f, view_math::kNegative}}) {
    std::vector<float> rgb(size_t{200} * 100 * 3, 0.5f);
    rgb[(57 * 200 + 130) * 3 + 1] = row.value;
    const TestFrame frame = hdr(200, 100, rgb);
    ViewParams params = whole(frame.desc);
    params.width = 9;
    params.height = 4;
    params.overlay_nan = params.overlay_inf = params.overlay_negative = true;
    const Picture picture = view(frame, params);
    int marked = 0;
    for (uint32_t y = 0; y < 4; ++y)
      for (uint32_t x = 0; x < 9; ++x) marked += pixel_at(picture, x, y) == opaque(row.want);
    CHECK(marked == 1);
    CHECK(pixel_at(picture, 5, 2) == opaque(row.want));
  }
}

TEST_CASE("without the overlay NaN counts as black and Inf as bright") {
  const TestFrame frame = hdr(2, 1, {kNan, kNan, kNan, kInf, -kInf, 1});
  ViewParams params = whole(frame.desc);
  CHECK(pixel_at(view(frame, params), 0, 0) == Rgba{0, 0, 0, 255});
  CHECK(pixel_at(view(frame, params), 1, 0) == Rgba{255, 0, 255, 255});
  params.width = 1;
  CHECK(pixel_at(view(frame, params), 0, 0) == Rgba{255, 0, 188, 255});
}

TEST_CASE("clipped values are marked") {
  const TestFrame frame = hdr(3, 1, {1, 1, 1, 1.5f, 0, 0, 0, -0.1f, 0});
  ViewParams params = whole(frame.desc);
  params.overlay_clip = true;
  const Picture picture = view(frame, params);
  CHECK(pixel_at(picture, 0, 0) == Rgba{255, 255, 255, 255});
  CHECK(pixel_at(picture, 1, 0) == opaque(view_math::kAbove));
  CHECK(pixel_at(picture, 2, 0) == opaque(view_math::kBelow));
  params.tone_map = ToneMap::Aces;
  CHECK(pixel_at(view(frame, params), 1, 0) != opaque(view_math::kAbove));
}

TEST_CASE("negative data is no error") {
  const TestFrame frame = dense_frame<float>(Dtype::F32, 2, 1, 3, {-1, 0, 1, 1, -1, 0}, OutputKind::Normal);
  ViewParams params = whole(frame.desc);
  params.overlay_nan = params.overlay_inf = params.overlay_negative = true;
  CHECK(pixel_at(view(frame, params), 0, 0) == Rgba{0, 128, 255, 255});
}

TEST_CASE("one row of texels fills the whole picture, whatever the path") {
  std::mt19937 random(3);
  const uint32_t width = 16384;
  std::vector<float> numbers(size_t{width} * 3);
  for (auto& number : numbers) number = static_cast<float>(random() % 1000) / 500 - 0.5f;
  const TestFrame floats = hdr(width, 1, numbers), bytes = random_bytes(width, 1, 4);
  for (const TestFrame* frame : {&floats, &bytes}) {
    CAPTURE(static_cast<int>(frame->desc.dtype));
    for (const FalseColor map : {FalseColor::None, FalseColor::Ids}) {
      CAPTURE(static_cast<int>(map));
      for (const double seen : {16384.0, 50.0}) {  // minified and magnified
        CAPTURE(seen);
        ViewParams params = whole(frame->desc);
        params.false_color = map;
        params.rect_w = seen;
        params.width = 200;
        params.height = 1;
        const Picture row = view(*frame, params);
        params.height = 37;
        const Picture all = view(*frame, params);
        for (size_t y = 0; y < 37; ++y)
          CHECK(std::equal(row.rgba.begin(), row.rgba.end(), all.rgba.begin() + static_cast<long>(y * 200 * 4)));
      }
    }
  }
}

TEST_CASE("magnified rows are the texels' own, at the borders of bands too") {
  const TestFrame frame = random_bytes(3, 7, 4);
  ViewParams params = general_path(whole(frame.desc));
  params.width = 3;
  params.height = 7;
  const Picture small = view(frame, params);
  params.height = 7 * 13;
  const Picture tall = view(frame, params);
  for (size_t y = 0; y < 7 * 13; ++y)
    CHECK(std::equal(small.rgba.begin() + static_cast<long>(y / 13 * 12),
                     small.rgba.begin() + static_cast<long>(y / 13 * 12 + 12),
                     tall.rgba.begin() + static_cast<long>(y * 12)));
}
