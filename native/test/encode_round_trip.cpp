// Pictures survive their encoding: PNG exactly, JPEG closely.

#include <doctest/doctest.h>
#include <turbojpeg.h>

#include <random>

#include "encode_decode.hpp"
#include "preview/encode.hpp"
#include "preview/encode_png.hpp"

using namespace seamscope;
using namespace seamscope::test;

namespace {

Picture noise(uint32_t width, uint32_t height) {
  std::mt19937 random(3);
  Picture picture{width, height, std::vector<uint8_t>(size_t{width} * height * 4)};
  for (auto& byte : picture.rgba) byte = static_cast<uint8_t>(random());
  return picture;
}

// Large fields of saturated colour: what subsampled chroma handles worst is the border between them.
Picture fields(uint32_t width, uint32_t height) {
  Picture picture = noise(width, height);
  for (uint32_t i = 0; i < width * height; ++i) {
    const bool left = i % width < 13;
    picture.rgba[4 * i] = left ? 255 : 0;
    picture.rgba[4 * i + 1] = 0;
    picture.rgba[4 * i + 2] = left ? 0 : 255;
  }
  return picture;
}

int worst_difference(const Picture& picture, const std::vector<uint8_t>& jpeg) {
  const tjhandle handle = tjInitDecompress();
  int width = 0, height = 0, subsampling = 0, space = 0, worst = 0;
  REQUIRE(tjDecompressHeader3(handle, jpeg.data(), jpeg.size(), &width, &height, &subsampling, &space) == 0);
  std::vector<uint8_t> pixels(static_cast<size_t>(width) * static_cast<size_t>(height) * 4);
  REQUIRE(tjDecompress2(handle, jpeg.data(), jpeg.size(), pixels.data(), width, 0, height, TJPF_RGBX, 0) == 0);
  tjDestroy(handle);
  REQUIRE(static_cast<uint32_t>(width) == picture.width);
  REQUIRE(static_cast<uint32_t>(height) == picture.height);
  for (size_t i = 0; i < pixels.size(); ++i)
    if (i % 4 != 3) worst = std::max(worst, std::abs(int{pixels[i]} - int{picture.rgba[i]}));
  return worst;
}

}  // namespace

TEST_CASE("PNG keeps every byte, for one to four channels and odd sizes") {
  for (const uint32_t channels : {1u, 2u, 3u, 4u})
    for (const uint32_t width : {1u, 7u, 64u}) {
      const Picture picture = noise(width, 5);
      const std::span<const uint8_t> bytes(picture.rgba.data(), size_t{width} * 5 * channels);
      const auto png = encode_png({width, 5, channels, bytes});
      REQUIRE(png);
      const DecodedPng decoded = decode_png(*png);
      CHECK(decoded.width == width);
      CHECK(decoded.height == 5);
      CHECK(decoded.channels == channels);
      CHECK(decoded.bytes == std::vector<uint8_t>(bytes.begin(), bytes.end()));
    }
}

TEST_CASE("PNG refuses what it cannot hold") {
  CHECK_FALSE(encode_png({0, 5, 4, {}}));
  CHECK_FALSE(encode_png({65536, 65536, 4, {}}));
}

TEST_CASE("full chroma keeps colour borders that halved chroma smears") {
  const Picture picture = fields(32, 32);
  JpegEncoder encoder;
  std::vector<uint8_t> full, halved;
  REQUIRE(encoder.encode(picture, 95, Chroma::Full, full));
  REQUIRE(encoder.encode(picture, 95, Chroma::Halved, halved));
  CHECK(worst_difference(picture, full) < 40);
  CHECK(worst_difference(picture, halved) > 60);
}

TEST_CASE("one JPEG encoder serves pictures of any size") {
  JpegEncoder encoder;
  std::vector<uint8_t> jpeg;
  for (const uint32_t side : {8u, 300u, 1u, 64u}) {
    Picture grey{side, side, std::vector<uint8_t>(size_t{side} * side * 4, 77)};
    REQUIRE(encoder.encode(grey, 80, Chroma::Halved, jpeg));
    CHECK(worst_difference(grey, jpeg) <= 2);
  }
  Picture wide{70000, 1, std::vector<uint8_t>(70000 * 4)};
  CHECK_FALSE(encoder.encode(wide, 80, Chroma::Halved, jpeg));
}

TEST_CASE("identifiers and false colours keep full chroma") {
  ViewParams params;
  CHECK(moving_options(params, OutputKind::Color).chroma == Chroma::Halved);
  CHECK(moving_options(params, OutputKind::Id).chroma == Chroma::Full);
  params.false_color = FalseColor::Turbo;
  CHECK(moving_options(params, OutputKind::Depth).chroma == Chroma::Full);
  CHECK(lossless_options(params).encoding == Encoding::Png);
}
