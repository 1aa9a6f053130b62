// Differences and metrics of two frames, against the plain formulae.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "cpu_passes_frames.hpp"
#include "preview/compare.hpp"
#include "preview/flip.hpp"

using namespace seamscope;
using test::dense_frame;
using test::TestFrame;

namespace {

ImageView view_of(const TestFrame& frame) {
  return {frame.data(), &frame.desc};
}

TestFrame waves(uint32_t width, uint32_t height, double shift) {
  std::vector<float> values(size_t{width} * height * 3);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(0.5 + 0.4 * std::sin(0.21 * static_cast<double>(i) + shift) +
                                   0.05 * std::cos(0.013 * static_cast<double>(i * i % 997)));
  return dense_frame(Dtype::F32, width, height, 3, values, OutputKind::Hdr, ColorSpace::Linear);
}

double luminance_at(const TestFrame& frame, int x, int y) {
  x = std::clamp(x, 0, static_cast<int>(frame.desc.width) - 1);
  y = std::clamp(y, 0, static_cast<int>(frame.desc.height) - 1);
  float rgb[3];
  std::memcpy(rgb, frame.data() + static_cast<size_t>(y) * frame.desc.row_stride + static_cast<size_t>(x) * 12, 12);
  return 0.2126 * static_cast<double>(rgb[0]) + 0.7152 * static_cast<double>(rgb[1]) +
         0.0722 * static_cast<double>(rgb[2]);
}

// Wang's formula, one window after the other.
double plain_ssim(const TestFrame& a, const TestFrame& b, double peak) {
  double total = 0;
  for (int y = 0; y < static_cast<int>(a.desc.height); ++y)
    for (int x = 0; x < static_cast<int>(a.desc.width); ++x) {
      double w_all = 0, ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
      for (int j = -5; j <= 5; ++j)
        for (int i = -5; i <= 5; ++i) {
          const double w = std::exp(-(i * i + j * j) / 4.5);
          const double va = luminance_at(a, x + i, y + j), vb = luminance_at(b, x + i, y + j);
          w_all += w, ma += w * va, mb += w * vb, aa += w * va * va, bb += w * vb * vb, ab += w * va * vb;
        }
      ma /= w_all, mb /= w_all;
      const double c1 = std::pow(0.01 * peak, 2), c2 = std::pow(0.03 * peak, 2);
      const double va = aa / w_all - ma * ma, vb = bb / w_all - mb * mb, cov = ab / w_all - ma * mb;
      total += (2 * ma * mb + c1) * (2 * cov + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
    }
  return total / (a.desc.width * a.desc.height);
}

}  // namespace

TEST_CASE("equal frames have no error, no PSNR and full similarity") {
  ThreadPool pool(2);
  const TestFrame frame = waves(40, 23, 0);
  const Metrics metrics = metrics_of(pool, view_of(frame), view_of(frame));
  CHECK(metrics.mae == 0);
  CHECK_FALSE(metrics.psnr);
  CHECK(metrics.ssim == doctest::Approx(1.0));
}

TEST_CASE("metrics equal the plain formulae") {
  ThreadPool pool(3);
  for (const auto& [width, height] : {std::pair{31u, 26u}, std::pair{7u, 3u}, std::pair{1u, 1u}}) {
    CAPTURE(width);
    const TestFrame a = waves(width, height, 0), b = waves(width, height, 0.3);
    double absolute = 0, squared = 0, peak = 0;
    const size_t count = size_t{width} * height * 3;
    for (size_t i = 0; i < count; ++i) {
      float va, vb;
      std::memcpy(&va, a.data() + i * 4, 4);
      std::memcpy(&vb, b.data() + i * 4, 4);
      const double d = static_cast<double>(va) - static_cast<double>(vb);
      absolute += std::fabs(d);
      squared += d * d;
      peak = std::max(peak, std::fabs(static_cast<double>(vb)));
    }
    const Metrics metrics = metrics_of(pool, view_of(a), view_of(b));
    CHECK(metrics.mae == doctest::Approx(absolute / static_cast<double>(count)));
    REQUIRE(metrics.psnr);
    CHECK(*metrics.psnr == doctest::Approx(10 * std::log10(peak * peak * static_cast<double>(count) / squared)));
    CHECK(metrics.ssim == doctest::Approx(plain_ssim(a, b, peak)).epsilon(1e-4));
  }
}

TEST_CASE("bytes are measured against 255 and alpha is left out") {
  ThreadPool pool(1);
  const auto a = dense_frame<uint8_t>(Dtype::U8, 1, 1, 4, {10, 20, 30, 0}, OutputKind::Color, ColorSpace::Srgb);
  const auto b = dense_frame<uint8_t>(Dtype::U8, 1, 1, 4, {13, 20, 30, 99}, OutputKind::Color, ColorSpace::Srgb);
  const Metrics metrics = metrics_of(pool, view_of(a), view_of(b));
  CHECK(metrics.mae == doctest::Approx(1.0));
  CHECK(*metrics.psnr == doctest::Approx(10 * std::log10(255.0 * 255.0 / 3.0)));
}

TEST_CASE("a difference is absolute, exact for equal bits, and NaN where one side has no number") {
  ThreadPool pool(2);
  const auto a = dense_frame<float>(Dtype::F32, 5, 1, 1, {1.0f, 5.0f, NAN, INFINITY, NAN});
  const auto b = dense_frame<float>(Dtype::F32, 5, 1, 1, {3.5f, 5.0f, NAN, INFINITY, 0.0f});
  const Difference difference = difference_of(pool, view_of(a), view_of(b), false);
  CHECK(difference.desc.dtype == Dtype::F32);
  float v[5];
  std::memcpy(v, difference.bytes.data(), sizeof v);
  CHECK(v[0] == 2.5f);
  CHECK(v[1] == 0);
  CHECK(v[2] == 0);
  CHECK(v[3] == 0);
  CHECK(std::isnan(v[4]));
  std::memcpy(v, difference_of(pool, view_of(a), view_of(b), true).bytes.data(), sizeof v);
  CHECK(v[0] == -2.5f);
  CHECK(v[2] == 0);
  CHECK(std::isnan(v[4]));
}

// Values that the authors' implementation (version 1.7) gives for the same pictures.
TEST_CASE("FLIP is what its authors measure") {
  using Texel = int (*)(int x, int y, int c);
  struct Case {
    const char* name;
    uint32_t width, height;
    Texel shown, reference;
    double expected;
  };
  const Case cases[] = {
      {"black and white", 40, 30, [](int, int, int) { return 0; }, [](int, int, int) { return 255; }, 0.967388},
      {"green and blue", 40, 30, [](int, int, int c) { return c == 1 ? 255 : 0; },
       [](int, int, int c) { return c == 2 ? 255 : 0; }, 1.0},
      {"a moved edge", 200, 100, [](int x, int, int) { return x < 100 ? 40 : 200; },
       [](int x, int, int) { return x < 102 ? 40 : 200; }, 0.019652},
      {"coloured squares", 96, 64,
       [](int x, int y, int c) { return ((x / 8 + y / 8) & 1) ? 200 - 20 * c : 40 + 30 * c; },
       [](int x, int y, int) { return ((x / 8 + y / 8) & 1) ? 180 : 60; }, 0.190901},
      {"a picture smaller than the filters", 5, 3, [](int x, int y, int c) { return 10 * x + 40 * y + c; },
       [](int x, int y, int c) { return 200 - 10 * x - 40 * y - c; }, 0.708470},
  };
  ThreadPool pool(2);
  for (const Case& each : cases) {
    CAPTURE(each.name);
    const auto frame = [&](Texel texel) {
      std::vector<uint8_t> values;
      for (uint32_t y = 0; y < each.height; ++y)
        for (uint32_t x = 0; x < each.width; ++x)
          for (int c = 0; c < 3; ++c)
            values.push_back(static_cast<uint8_t>(texel(static_cast<int>(x), static_cast<int>(y), c)));
      return dense_frame<uint8_t>(Dtype::U8, each.width, each.height, 3, values, OutputKind::Color, ColorSpace::Srgb);
    };
    const auto shown = frame(each.shown), reference = frame(each.reference);
    const auto flip = flip_of(pool, view_of(shown), view_of(reference));
    REQUIRE(flip);
    CHECK(*flip == doctest::Approx(each.expected).epsilon(2e-5));
    CHECK(*flip_of(pool, view_of(shown), view_of(shown)) == 0);
  }
}

TEST_CASE("FLIP is for what a screen shows as it is: neither HDR nor data") {
  ThreadPool pool(1);
  const auto hdr = dense_frame<float>(Dtype::F32, 1, 1, 3, {1, 2, 3}, OutputKind::Hdr, ColorSpace::Linear);
  const auto depth = dense_frame<float>(Dtype::F32, 1, 1, 1, {1}, OutputKind::Depth);
  CHECK_FALSE(flip_of(pool, view_of(hdr), view_of(hdr)));
  CHECK_FALSE(flip_of(pool, view_of(depth), view_of(depth)));
}

TEST_CASE("frames of different shapes are not compared, of different dtypes they are") {
  const auto bytes = dense_frame<uint8_t>(Dtype::U8, 2, 1, 1, {1, 2});
  const auto floats = dense_frame<float>(Dtype::F32, 2, 1, 1, {1, 4});
  CHECK(why_not_comparable(bytes.desc, floats.desc).empty());
  FrameDesc wide = floats.desc;
  wide.width = 3;
  CHECK(why_not_comparable(bytes.desc, wide) == "The frame is 2x1 with 1 channel, the reference 3x1 with 1 channel.");
}
