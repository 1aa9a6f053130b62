// Saving: exact bytes in .png and .npy, and clear refusals.

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "cpu_passes_frames.hpp"
#include "encode_decode.hpp"
#include "preview/save.hpp"

using namespace seamscope;
using namespace seamscope::test;

namespace {

struct Npy {
  std::string header;
  std::vector<uint8_t> data;
};

Npy npy_of(const TestFrame& frame) {
  const std::vector<uint8_t> file = npy_contents(frame.bytes, frame.desc);
  REQUIRE(file.size() > 10);
  CHECK(std::string(file.begin(), file.begin() + 6) == "\x93NUMPY");
  const size_t start = 10 + file[8] + size_t{file[9]} * 256;
  CHECK(start % 64 == 0);
  CHECK(file[start - 1] == '\n');
  return {std::string(file.begin() + 10, file.begin() + static_cast<long>(start)),
          std::vector<uint8_t>(file.begin() + static_cast<long>(start), file.end())};
}

template <typename T>
std::vector<T> numbers_of(const Npy& npy) {
  std::vector<T> numbers(npy.data.size() / sizeof(T));
  std::memcpy(numbers.data(), npy.data.data(), npy.data.size());
  return numbers;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// A folder that is removed with its files.
struct Folder {
  char path[32] = "/tmp/seamscope-save-XXXXXX";
  Folder() { REQUIRE(mkdtemp(path) != nullptr); }
  ~Folder() {
    unlink(file("a.png").c_str());
    rmdir(path);
  }
  std::string file(const char* name) const { return std::string(path) + "/" + name; }
};

}  // namespace

TEST_CASE("npy holds every dtype exactly") {
  const auto half = npy_of(dense_frame<uint16_t>(Dtype::F16, 1, 2, 2, {0x3C00, 1, 2, 0x7E01}));
  CHECK(contains(half.header, "'descr': '<f2'"));
  CHECK(contains(half.header, "'shape': (2, 1, 2)"));
  CHECK(numbers_of<uint16_t>(half) == std::vector<uint16_t>{0x3C00, 1, 2, 0x7E01});

  const auto depth = npy_of(dense_frame<float>(Dtype::F32, 2, 1, 1, {1.5f, -2}));
  CHECK(contains(depth.header, "'descr': '<f4'"));
  CHECK(contains(depth.header, "'shape': (1, 2)"));
  CHECK(numbers_of<float>(depth) == std::vector<float>{1.5f, -2});

  CHECK(contains(npy_of(dense_frame<uint8_t>(Dtype::U8, 1, 1, 1, {1})).header, "'|u1'"));
  CHECK(contains(npy_of(dense_frame<uint8_t>(Dtype::Bool, 1, 1, 1, {1})).header, "'|b1'"));
  CHECK(contains(npy_of(dense_frame<int8_t>(Dtype::I8, 1, 1, 1, {1})).header, "'|i1'"));
  CHECK(contains(npy_of(dense_frame<uint32_t>(Dtype::U32, 1, 1, 1, {1})).header, "'<u4'"));
  CHECK(contains(npy_of(dense_frame<int64_t>(Dtype::I64, 1, 1, 1, {1})).header, "'<i8'"));
  CHECK(contains(npy_of(dense_frame<double>(Dtype::F64, 1, 1, 1, {1})).header, "'<f8'"));

  const auto bf16 = npy_of(dense_frame<uint16_t>(Dtype::BF16, 1, 1, 1, {0x3F80}));
  CHECK(contains(bf16.header, "'<f4'"));
  CHECK(numbers_of<float>(bf16) == std::vector<float>{1});
  const auto stencil = npy_of(dense_frame<uint32_t>(Dtype::D24S8, 1, 1, 2, {0x07000005u}));
  CHECK(numbers_of<uint32_t>(stencil) == std::vector<uint32_t>{5, 7});
  const auto ten = npy_of(dense_frame<uint32_t>(Dtype::RGB10A2, 1, 1, 4, {1023u | 3u << 30}));
  CHECK(numbers_of<uint16_t>(ten) == std::vector<uint16_t>{1023, 0, 0, 3});
}

TEST_CASE("saved rows run from top to bottom") {
  TestFrame frame = dense_frame<uint8_t>(Dtype::U8, 1, 2, 1, {1, 2}, OutputKind::Color);
  frame.desc.bottom_up = true;
  CHECK(npy_of(frame).data == std::vector<uint8_t>{2, 1});
  CHECK(decode_png(*file_contents("a.png", frame.bytes, frame.desc)).bytes == std::vector<uint8_t>{2, 1});
}

TEST_CASE("a PNG keeps u8 bytes untouched, alpha too") {
  const std::vector<uint8_t> bytes{1, 2, 3, 0, 250, 251, 252, 128};
  const TestFrame frame = dense_frame(Dtype::U8, 2, 1, 4, bytes, OutputKind::Color, ColorSpace::Srgb);
  const auto file = file_contents("a.PNG", frame.bytes, frame.desc);
  REQUIRE(file);
  CHECK(decode_png(*file).bytes == bytes);
}

TEST_CASE("formats that would lose values are refused with the way out") {
  const TestFrame frame = dense_frame<float>(Dtype::F32, 1, 1, 1, {1});
  for (const char* name : {"depth.png", "depth.jpg", "depth", "folder.png/depth"}) {
    CAPTURE(name);
    const auto refused = file_contents(name, frame.bytes, frame.desc);
    REQUIRE_FALSE(refused);
    CHECK(contains(refused.error().next_step, ".npy"));
  }
  CHECK_FALSE(file_contents("a.npy", {}, FrameDesc{}));
}

TEST_CASE("files are written whole") {
  const Folder folder;
  const std::vector<uint8_t> contents{1, 2, 3};
  const auto written = write_file(folder.file("a.png"), contents);
  REQUIRE(written);
  CHECK(*written == 3);
  std::ifstream file(folder.file("a.png"), std::ios::binary);
  CHECK(std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {}) == contents);

  const auto failed = write_file(folder.file("missing/a.png"), contents);
  REQUIRE_FALSE(failed);
  CHECK(contains(failed.error().message, "No such file or directory"));
  CHECK_FALSE(failed.error().next_step.empty());
}
