// Host memory through seamscope.h, byte by byte, for every element type and layout.

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "publisher_session.hpp"

namespace seamscope::test {
namespace {

std::vector<std::byte> noise(size_t count, uint32_t seed) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) {
    seed = seed * 1664525u + 1013904223u;
    byte = static_cast<std::byte>(seed >> 24);
  }
  return bytes;
}

uint64_t element_of(uint32_t dtype) {
  static constexpr uint8_t kSizes[] = {1, 1, 1, 2, 2, 4, 4, 8, 2, 2, 4, 8, 4, 4, 4};
  return kSizes[dtype];
}

struct Strides {
  uint64_t offset, row, pixel, channel, batch;
};

Strides strides_of(const seamscope_frame_desc& desc) {
  return {desc.offset, desc.row_stride, desc.pixel_stride, desc.channel_stride, desc.batch_stride};
}

// Element by element through both descriptions.
bool same_elements(const seamscope_frame_desc& shape, const std::byte* a, Strides at_a, const std::byte* b,
                   Strides at_b) {
  const uint64_t element = element_of(shape.dtype);
  const uint32_t channels = shape.dtype >= SEAMSCOPE_R11G11B10F ? 1 : shape.channels;
  const auto place = [](Strides s, uint32_t n, uint32_t y, uint32_t x, uint32_t c) {
    return s.offset + n * s.batch + y * s.row + x * s.pixel + c * s.channel;
  };
  for (uint32_t n = 0; n < shape.batch; ++n)
    for (uint32_t y = 0; y < shape.height; ++y)
      for (uint32_t x = 0; x < shape.width; ++x)
        for (uint32_t c = 0; c < channels; ++c)
          if (std::memcmp(a + place(at_a, n, y, x, c), b + place(at_b, n, y, x, c), element) != 0) return false;
  return true;
}

// Publishes `given` out of `bytes` and compares what the hub got, element by element along `meant`, which spells out
// what zeros in `given` stand for.
void check_published(TestHub& hub, uint32_t output, const seamscope_frame_desc& given,
                     const seamscope_frame_desc& meant, const std::vector<std::byte>& bytes) {
  const auto frame = first_frame(hub, output, [&] { seamscope_publish_host("frames", bytes.data(), &given); });
  REQUIRE(frame);
  const seamscope_frame_desc& got = frame->header.desc;
  CHECK(got.width == meant.width);
  CHECK(got.height == meant.height);
  CHECK(got.channels == meant.channels);
  CHECK(got.batch == meant.batch);
  CHECK(got.dtype == meant.dtype);
  CHECK(got.flags == (meant.flags & (SEAMSCOPE_FLAG_BOTTOM_UP | SEAMSCOPE_FLAG_BGR)));
  CHECK(same_elements(meant, bytes.data(), strides_of(meant), frame->bytes.data(), strides_of(got)));
}

seamscope_frame_desc spelled(uint32_t dtype, uint32_t channels, uint32_t width, uint32_t height, Strides strides) {
  seamscope_frame_desc desc = frame_of(width, height, dtype, channels);
  desc.batch = 1;
  desc.offset = strides.offset;
  desc.row_stride = strides.row;
  desc.pixel_stride = strides.pixel;
  desc.channel_stride = strides.channel;
  desc.batch_stride = strides.batch;
  return desc;
}

}  // namespace

TEST_CASE("publisher: every element type arrives as it was, with zeros for the usual") {
  TestHub hub;
  const PublisherSession session(hub.path());
  const auto output = watch(hub, "frames");
  REQUIRE(output);
  for (uint32_t dtype = SEAMSCOPE_BOOL; dtype <= SEAMSCOPE_D24S8; ++dtype)
    for (const uint32_t channels : {1u, 2u, 3u, 4u}) {
      static constexpr uint32_t kPacked[] = {3, 4, 1};
      if (dtype >= SEAMSCOPE_R11G11B10F && channels != kPacked[dtype - SEAMSCOPE_R11G11B10F]) continue;
      CAPTURE(dtype);
      CAPTURE(channels);
      const uint64_t element = element_of(dtype), texel = dtype >= SEAMSCOPE_R11G11B10F ? 4 : element * channels;
      const auto meant = spelled(dtype, channels, 37, 11, {0, 37 * texel, texel, element, 37 * 11 * texel});
      auto given = frame_of(37, 11, dtype == SEAMSCOPE_BOOL ? SEAMSCOPE_EXACTLY(SEAMSCOPE_BOOL) : dtype, channels);
      check_published(hub, *output, given, meant, noise(37 * 11 * texel, dtype + channels));
    }
}

TEST_CASE("publisher: layouts") {
  TestHub hub;
  const PublisherSession session(hub.path());
  const auto output = watch(hub, "frames");
  REQUIRE(output);
  const auto bytes = noise(1 << 16, 7);
  SUBCASE("padded rows") {
    const auto desc = spelled(SEAMSCOPE_U8, 4, 13, 9, {0, 100, 4, 1, 900});
    check_published(hub, *output, desc, desc, bytes);
  }
  SUBCASE("an offset and rows that start inside others' padding") {
    const auto desc = spelled(SEAMSCOPE_U16, 2, 13, 9, {6, 128, 4, 2, 1152});
    check_published(hub, *output, desc, desc, bytes);
  }
  SUBCASE("three channels of four") {
    const auto desc = spelled(SEAMSCOPE_U8, 3, 13, 9, {0, 52, 4, 1, 468});
    check_published(hub, *output, desc, desc, bytes);
  }
  SUBCASE("planes") {
    const auto meant = spelled(SEAMSCOPE_F32, 3, 13, 9, {0, 52, 4, 468, 1404});
    auto given = frame_of(13, 9, SEAMSCOPE_F32, 3);
    given.flags = SEAMSCOPE_FLAG_PLANAR;
    check_published(hub, *output, given, meant, bytes);
  }
  SUBCASE("planes of padded rows, three images") {
    auto desc = spelled(SEAMSCOPE_F16, 3, 13, 9, {0, 64, 2, 640, 2048});
    desc.batch = 3;
    check_published(hub, *output, desc, desc, bytes);
  }
  SUBCASE("rows of planes") {
    const auto desc = spelled(SEAMSCOPE_U8, 3, 13, 9, {0, 39, 1, 13, 351});
    check_published(hub, *output, desc, desc, bytes);
  }
  SUBCASE("transposed") {
    const auto desc = spelled(SEAMSCOPE_U8, 3, 13, 9, {0, 3, 27, 1, 351});
    check_published(hub, *output, desc, desc, bytes);
  }
  SUBCASE("every second texel of every second row") {
    const auto desc = spelled(SEAMSCOPE_U8, 4, 13, 9, {4, 416, 8, 1, 3744});
    check_published(hub, *output, desc, desc, bytes);
  }
  SUBCASE("one texel") {
    const auto desc = spelled(SEAMSCOPE_F64, 1, 1, 1, {0, 8, 8, 8, 8});
    check_published(hub, *output, desc, desc, bytes);
  }
  SUBCASE("one row, one column") {
    const auto row = spelled(SEAMSCOPE_U8, 1, 4000, 1, {0, 4000, 1, 1, 4000});
    check_published(hub, *output, row, row, bytes);
    const auto column = spelled(SEAMSCOPE_U8, 1, 1, 900, {0, 16, 1, 1, 14400});
    check_published(hub, *output, column, column, bytes);
  }
  SUBCASE("flags") {
    auto desc = spelled(SEAMSCOPE_U8, 4, 13, 9, {0, 52, 4, 1, 468});
    desc.flags = SEAMSCOPE_FLAG_BGR | SEAMSCOPE_FLAG_BOTTOM_UP;
    check_published(hub, *output, desc, desc, bytes);
  }
}

TEST_CASE("publisher: kinds and colour spaces that zeros stand for") {
  TestHub hub;
  const PublisherSession session(hub.path());
  const auto output = watch(hub, "frames");
  REQUIRE(output);
  struct Row {
    uint32_t dtype, channels, kind, color_space, shown_kind, shown_space;
  };
  const std::vector<Row> rows = {
      {0, 0, 0, 0, SEAMSCOPE_COLOR, SEAMSCOPE_SRGB},
      {SEAMSCOPE_F16, 4, 0, 0, SEAMSCOPE_HDR, SEAMSCOPE_LINEAR},
      {SEAMSCOPE_F32, 1, SEAMSCOPE_DEPTH, 0, SEAMSCOPE_DEPTH, SEAMSCOPE_DATA},
      {SEAMSCOPE_F32, 1, 0, 0, SEAMSCOPE_TENSOR, SEAMSCOPE_DATA},
      {SEAMSCOPE_F32, 3, SEAMSCOPE_EXACTLY(SEAMSCOPE_COLOR), 0, SEAMSCOPE_COLOR, SEAMSCOPE_LINEAR},
      {SEAMSCOPE_F32, 3, 0, SEAMSCOPE_EXACTLY(SEAMSCOPE_SRGB), SEAMSCOPE_HDR, SEAMSCOPE_SRGB},
      {SEAMSCOPE_U32, 1, 0, 0, SEAMSCOPE_ID, SEAMSCOPE_DATA},
      {SEAMSCOPE_I64, 1, 0, 0, SEAMSCOPE_ID, SEAMSCOPE_DATA},
      {SEAMSCOPE_F32, 8, 0, 0, SEAMSCOPE_TENSOR, SEAMSCOPE_DATA},
      {SEAMSCOPE_D24S8, 0, 0, 0, SEAMSCOPE_DEPTH, SEAMSCOPE_DATA},
      {SEAMSCOPE_R11G11B10F, 0, 0, 0, SEAMSCOPE_HDR, SEAMSCOPE_LINEAR},
      {SEAMSCOPE_RGB10A2, 0, 0, 0, SEAMSCOPE_COLOR, SEAMSCOPE_SRGB},
  };
  const auto bytes = noise(4096, 3);
  for (const Row& row : rows) {
    CAPTURE(row.dtype);
    CAPTURE(row.channels);
    auto desc = frame_of(8, 8, row.dtype, row.channels);
    desc.kind = row.kind;
    desc.color_space = row.color_space;
    const auto frame = first_frame(hub, *output, [&] { seamscope_publish_host("frames", bytes.data(), &desc); });
    REQUIRE(frame);
    CHECK(frame->header.desc.kind == row.shown_kind);
    CHECK(frame->header.desc.color_space == row.shown_space);
  }
}

TEST_CASE("publisher: what cannot be shown is skipped with a reason") {
  TestHub hub;
  const PublisherSession session(hub.path());
  const auto output = watch(hub, "frames");
  REQUIRE(output);
  const auto bytes = noise(64, 1);
  const auto skipped_before = hub.page(*output).skipped;
  auto huge = frame_of(65536, 65536, SEAMSCOPE_F32, 4);
  auto wide = frame_of(70000, 1);
  auto unknown = frame_of(4, 4, 99);
  auto strided = frame_of(4, 4);
  strided.batch_stride = UINT64_MAX;
  strided.batch = 3;
  const auto none = frame_of(0, 0);
  const std::vector<const seamscope_frame_desc*> descs = {&huge, &wide, &unknown, &strided, &none, nullptr};
  for (const auto* desc : descs) CHECK(seamscope_publish_host("frames", bytes.data(), desc) == SEAMSCOPE_SKIPPED);
  const auto fine = frame_of(4, 4);
  CHECK(seamscope_publish_host("frames", nullptr, &fine) == SEAMSCOPE_SKIPPED);
  CHECK(hub.page(*output).skipped == skipped_before + 7);
  CHECK(hub.pump_until([&] { return !hub.statuses().empty() && !hub.statuses().back().empty(); }));
}

}  // namespace seamscope::test
