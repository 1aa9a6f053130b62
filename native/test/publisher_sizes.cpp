// Frames of extreme sizes, of none, and of another size and format each time: out of seamscope.h, through the hub, to
// pictures and exact values.

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <thread>

#include "preview/kept_frame.hpp"
#include "publisher_shown.hpp"

namespace seamscope::test {
namespace {

uint64_t available_mib() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  uint64_t kib = 0;
  while (file >> word)
    if (word == "MemAvailable:" && file >> kib) return kib / 1024;
  return 0;
}

// Repeats after 251 texels and 251 rows, which no power of two is a multiple of.
std::vector<std::byte> pattern(uint32_t width, uint32_t height) {
  std::vector<std::byte> line(width + 251), pixels(uint64_t{width} * height);
  for (size_t i = 0; i < line.size(); ++i) line[i] = std::byte(i * 7 % 251);
  for (uint64_t y = 0; y < height; ++y) std::memcpy(&pixels[y * width], &line[y * 13 % 251], width);
  pixels.back() = std::byte{254};  // the greatest value of all
  return pixels;
}

struct Size {
  uint32_t width, height;
};
#ifdef __SANITIZE_ADDRESS__
constexpr uint32_t kHeight = 1024;  // all of it would take the sanitized passes minutes
#else
constexpr uint32_t kHeight = 16384;
#endif

struct Formats {
  uint32_t dtype, channels, texel_bytes;
};
constexpr Formats kFormats[] = {
    {SEAMSCOPE_U8, 4, 4},  {SEAMSCOPE_F32, 1, 4}, {SEAMSCOPE_F16, 3, 6},     {SEAMSCOPE_U16, 2, 4},
    {SEAMSCOPE_U32, 1, 4}, {SEAMSCOPE_U8, 1, 1},  {SEAMSCOPE_RGB10A2, 4, 4}, {SEAMSCOPE_F64, 4, 32},
};

// What the frame of a number looks like. All its bytes are the same.
struct Expected {
  explicit Expected(uint64_t number)
      : format(kFormats[number % std::size(kFormats)]),
        width(1 + static_cast<uint32_t>(number * 7 % 61)),
        height(1 + static_cast<uint32_t>(number * 5 % 53)),
        value(std::byte(1 + number % 250)) {}
  Formats format;
  uint32_t width, height;
  std::byte value;
};

bool is_whole(const Session::Grab& grab) {
  const Expected expected(grab.frame->number());
  const uint64_t bytes = uint64_t{expected.width} * expected.height * expected.format.texel_bytes;
  if (grab.desc.width != expected.width || grab.desc.height != expected.height || grab.bytes.size() != bytes ||
      static_cast<uint32_t>(grab.desc.dtype) != expected.format.dtype || grab.desc.channels != expected.format.channels)
    return false;
  for (const std::byte byte : grab.bytes)
    if (byte != expected.value) return false;
  return true;
}

bool is_its_picture(const WaitingSink::Shot& shot) {
  const Expected expected(shot.info.frame);
  if (shot.info.frame_width != expected.width || shot.info.frame_height != expected.height) return false;
  for (uint32_t y = 0; y < shot.info.height; ++y)
    for (uint32_t x = 0; x < shot.info.width; ++x) {
      const uint8_t* pixel = &shot.bytes[(y * shot.info.width + x) * 4];
      const bool inside = x < expected.width && y < expected.height;
      if (!inside && pixel[3] != 0) return false;
      if (inside && expected.format.dtype == SEAMSCOPE_U8 && pixel[0] != static_cast<uint8_t>(expected.value))
        return false;
    }
  return true;
}

}  // namespace

TEST_CASE("publisher and preview: the largest sides, every texel, to the last row") {
  for (const auto& [width, height] : {Size{16384, kHeight}, Size{16384, 1}, Size{1, 16384}, Size{65536, 1}}) {
    CAPTURE(width);
    CAPTURE(height);
    const uint64_t bytes = uint64_t{width} * height;
    // The program's frame, three slots, the engine's copies and what it keeps.
    if (available_mib() < (bytes >> 20) * 10) {
      MESSAGE("skipped: " << (bytes >> 20) * 10 << " MiB of memory are not there");
      continue;
    }
    const uint64_t kept = KeptFrame::total_bytes();
    const auto pixels = pattern(width, height);
    {
      Shown shown;
      seamscope_wanted("color");
      const uint32_t columns = std::min(width, 8u), x = width - columns, y = height - 1;
      const auto sink = shown.look(1, texels_of("color", columns, 1, x, y));
      const auto desc = frame_of(width, height, SEAMSCOPE_U8, 1);
      const auto shot = shown.next(*sink, 0, [&] { seamscope_publish_host("color", pixels.data(), &desc); });
      REQUIRE(shot);
      CHECK(shot->info.frame_width == width);
      CHECK(shot->info.frame_height == height);
      for (uint32_t i = 0; i < columns; ++i)
        CHECK(shot->bytes[i * 4] == static_cast<uint8_t>(pixels[uint64_t{y} * width + x + i]));
      CHECK(shot->info.stats.max == 254);
      const auto grab = shown.session->grab(1);
      REQUIRE(grab);
      REQUIRE(grab->bytes.size() == bytes);
      CHECK(std::memcmp(grab->bytes.data(), pixels.data(), bytes) == 0);
      CHECK(KeptFrame::total_bytes() >= kept + bytes);
    }
    CHECK(KeptFrame::total_bytes() == kept);  // what was kept goes with its view
  }
}

TEST_CASE("publisher and preview: no size and too much of it are told by name, not shown") {
  struct Refused {
    const char* output;
    uint32_t width, height, dtype;
    const char* words;
  };
  const Refused rows[] = {
      {"no column", 0, 16, SEAMSCOPE_U8, "its width or height is 0"},
      {"no row", 16, 0, SEAMSCOPE_U8, "its width or height is 0"},
      {"too wide", 65537, 1, SEAMSCOPE_U8, "larger than can be shown: 65536 texels a side"},
      {"too high", 1, 65537, SEAMSCOPE_U8, "larger than can be shown: 65536 texels a side"},
      {"too large", 65536, 65536, SEAMSCOPE_F32, "larger than can be shown: 65536 texels a side and 2 GiB"},
      {"unknown", 4, 4, 99, "an element type, kind or colour space that does not exist"},
  };
  Shown shown;
  for (const Refused& row : rows) seamscope_wanted(row.output);
  const auto source = shown.source(std::size(rows));
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < std::size(rows); ++i) all.push_back(i);
  source->want(all, 0);
  const std::vector<std::byte> pixels(64, std::byte{1});
  const auto note = [&](uint32_t i) { return shown.fixture.output("pub:tests", i)->note; };
  for (uint32_t i = 0; i < std::size(rows); ++i) {
    CAPTURE(std::string(rows[i].output));
    const auto desc = frame_of(rows[i].width, rows[i].height, rows[i].dtype);
    CHECK(at_last([&] {
      CHECK(seamscope_publish_host(rows[i].output, pixels.data(), &desc) != SEAMSCOPE_PUBLISHED);
      return note(i).find(rows[i].words) != std::string::npos;
    }));
    const std::vector<uint32_t> one = {i};
    CHECK(*source->render(0, one) == nullptr);
  }
  // The next good frame is shown, and nothing is said any more.
  const auto fine = frame_of(4, 4);
  for (uint32_t i = 0; i < std::size(rows); ++i) {
    CAPTURE(std::string(rows[i].output));
    const std::vector<uint32_t> one = {i};
    CHECK(at_last([&] {
      seamscope_publish_host(rows[i].output, pixels.data(), &fine);
      return *source->render(0, one) && note(i).empty();
    }));
  }
}

TEST_CASE("publisher and preview: another size and format with every frame, each picture one of them, whole") {
  Shown shown;
  seamscope_wanted("color");
  const auto sink = shown.look(1, texels_of("color", 16, 16));
  std::atomic<bool> ended{false};
  std::thread program([&] {
    std::vector<std::byte> pixels(61 * 53 * 32);
    for (uint64_t number = 1; !ended; ++number) {
      const Expected frame(number);
      std::fill(pixels.begin(), pixels.end(), frame.value);
      const auto desc = frame_of(frame.width, frame.height, frame.format.dtype, frame.format.channels);
      seamscope_publish_host("color", pixels.data(), &desc);
    }
  });
  size_t grabbed = 0, torn = 0;
  at_last([&] {
    const auto grab = shown.session->grab(1);
    if (grab) ++grabbed, torn += !is_whole(*grab);
    return grabbed >= 100;
  });
  ended = true;
  program.join();
  const auto shots = sink->shots();
  size_t wrong = 0;
  for (const auto& shot : shots) wrong += !is_its_picture(shot);
  CHECK(grabbed >= 100);
  CHECK(torn == 0);
  CHECK(shots.size() > 10);
  CHECK(wrong == 0);
}

}  // namespace seamscope::test
