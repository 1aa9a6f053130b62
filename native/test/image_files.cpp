// Image files as frames: what the project writes it reads back exactly, and hostile or unfinished files are refused
// with a reason.

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "cpu_passes_frames.hpp"
#include "files/image_file.hpp"
#include "preview/save.hpp"

using namespace seamscope;
using test::dense_frame;
using test::TestFrame;

namespace {

files::Bytes bytes_of(const std::vector<uint8_t>& contents) {
  return std::as_bytes(std::span(contents));
}
files::Bytes bytes_of(const std::string& contents) {
  return std::as_bytes(std::span(contents));
}

std::vector<uint8_t> saved(const std::string& name, const TestFrame& frame) {
  auto contents = file_contents(name, frame.bytes, frame.desc);
  REQUIRE(contents);
  return *std::move(contents);
}

// Every row from top to bottom, whatever its layout is.
std::vector<std::byte> dense(const std::byte* bytes, const FrameDesc& desc) {
  std::vector<std::byte> out;
  const uint64_t size = dtype_size(desc.dtype);
  for (uint32_t y = 0; y < desc.height; ++y)
    for (uint32_t x = 0; x < desc.width; ++x)
      for (uint32_t c = 0; c < desc.channels; ++c) {
        const std::byte* at = bytes + row_offset(desc, y) + x * desc.pixel_stride + channel_offset(desc, c);
        out.insert(out.end(), at, at + size);
      }
  return out;
}

void check_equal(const TestFrame& frame, const files::ImageOutput& output) {
  CHECK(output.desc.width == frame.desc.width);
  CHECK(output.desc.height == frame.desc.height);
  CHECK(output.desc.channels == frame.desc.channels);
  CHECK(output.desc.dtype == frame.desc.dtype);
  CHECK(output.bytes.size() == batch_bytes(output.desc));
  CHECK(dense(output.bytes.data(), output.desc) == dense(frame.data(), frame.desc));
}

template <typename T>
TestFrame numbers(Dtype dtype, uint32_t width, uint32_t height, uint32_t channels, OutputKind kind = OutputKind::Hdr) {
  std::mt19937 random(width + channels);
  std::vector<T> values(size_t{width} * height * channels);
  // Halves and floats of moderate size: NaN payloads are none of these formats' business.
  for (T& value : values) value = static_cast<T>(sizeof(T) == 2 ? random() & 0x3BFFu : random() & 0x3F7FFFFFu);
  return dense_frame<T>(dtype, width, height, channels, values, kind, ColorSpace::Linear);
}

std::string error_of(files::Bytes contents) {
  const auto image = files::read_image(contents);
  REQUIRE_FALSE(image);
  CHECK_FALSE(image.error().next_step.empty());
  return image.error().message;
}

std::string npy(const std::string& dictionary, size_t data) {
  std::string text = std::string("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dictionary.size() & 0xFF);
  text += static_cast<char>(dictionary.size() >> 8);
  return text + dictionary + std::string(data, 'x');
}

}  // namespace

TEST_CASE("saved files are read back exactly") {
  for (const auto& [width, height] : {std::pair{5u, 3u}, std::pair{33u, 70u}}) {
    CAPTURE(width);
    for (uint32_t channels = 1; channels <= 4; ++channels) {
      CAPTURE(channels);
      const auto narrow = numbers<uint8_t>(Dtype::U8, width, height, channels, OutputKind::Color);
      const auto wide = numbers<uint16_t>(Dtype::U16, width, height, channels, OutputKind::Color);
      const auto halves = numbers<uint16_t>(Dtype::F16, width, height, channels);
      const auto floats = numbers<uint32_t>(Dtype::F32, width, height, channels);
      for (const auto* frame : {&narrow, &wide})
        check_equal(*frame, (*files::read_image(bytes_of(saved("a.png", *frame))))[0]);
      for (const auto* frame : {&narrow, &wide, &halves, &floats})
        check_equal(*frame, (*files::read_image(bytes_of(saved("a.NPY", *frame))))[0]);
      if (channels == 1 || channels == 3)
        check_equal(floats, (*files::read_image(bytes_of(saved("a.pfm", floats))))[0]);
    }
  }
}

TEST_CASE("a planar NPY file is a planar frame, and a batch is one") {
  const std::string text = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 5, 7), }", 2 * 3 * 5 * 7 * 4);
  const auto image = files::read_image(bytes_of(text));
  REQUIRE(image);
  const FrameDesc& desc = (*image)[0].desc;
  CHECK(desc.channels == 3);
  CHECK(desc.height == 5);
  CHECK(desc.width == 7);
  CHECK(desc.batches == 2);
  CHECK(desc.channel_stride == 5 * 7 * 4);
  CHECK(desc.batch_stride == 3 * 5 * 7 * 4);
}

TEST_CASE("hostile and unfinished files are refused with a reason") {
  struct Case {
    std::string contents, reason;
  };
  const std::string png_start("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  const Case cases[] = {
      {"", "is empty"},
      {"GIF89a", "neither PNG"},
      {"PF\n4 4\n-1.0\n", "ends after 0 of 192"},
      {"PF\n4 4\n", "not complete"},
      {"PF\n-4 4\n-1.0\nxxxx", "is no number: -4 4"},
      {"PF\n0 4\n-1.0\nxxxx", "no pixels"},
      {"Pf\n9999999999 4\n-1.0\nxxxx", "larger than the limit"},
      {"Pf\n4 99999999999999999999\n-1.0\nxxxx", "larger than the limit"},
      {"Pf\n999999999 999999999\n-1.0\n", "larger than the limit"},
      {"Pf\n4 4\nnan\nxxxx", "not complete"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }", 10), "ends after 10 of 64"},
      {npy("{'descr': '<u8', 'fortran_order': False, 'shape': (1, 1), }", 0) + std::string(7, '\0') + '\x80',
       "from 2^63 on"},
      {npy("{'descr': '<f4', 'fortran_order': True, 'shape': (4, 4), }", 64), "Fortran order"},
      {npy("{'descr': '<c8', 'fortran_order': False, 'shape': (4, 4), }", 64), "type '<c8' cannot be shown"},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,), }", 64), "cannot be shown"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", 64), "1 dimensions"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 4), }", 64), "cannot be read"},
      {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }", 64), "larger than the limit"},
      {npy("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 4), }", 64), "no pixels"},
      {npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1000000000, 4, 4, 3), }", 64), "more than the limit"},
      {std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f{", 13), "not complete"},
      {png_start, "not complete"},
      {png_start + std::string("\x7f\xff\xff\xff\x7f\xff\xff\xff\x10\x06\0\0\0\0\0\0\0\0\0\0\0\0", 22), "larger than"},
      {png_start + std::string("\0\0\0\x04\0\0\0\x04\x08\x02\0\0\0\0\0\0\0\0\0\0\0\0", 22),
       "ends before its last part"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.reason);
    CHECK(error_of(bytes_of(one.contents)).find(one.reason) != std::string::npos);
  }
}

TEST_CASE("no part of a file and no flipped bit of it does harm") {
  std::mt19937 random(7);
  std::vector<std::vector<uint8_t>> whole{
      saved("a.png", numbers<uint8_t>(Dtype::U8, 19, 11, 3, OutputKind::Color)),
      saved("a.png", numbers<uint16_t>(Dtype::U16, 9, 11, 4, OutputKind::Color)),
      saved("a.npy", numbers<uint32_t>(Dtype::F32, 9, 5, 3)),
      saved("a.pfm", numbers<uint32_t>(Dtype::F32, 9, 5, 3)),
  };
  if (files::reads_exr()) {
    whole.push_back(saved("a.exr", numbers<uint16_t>(Dtype::F16, 19, 41, 4)));
    whole.push_back(saved("a.exr", numbers<uint32_t>(Dtype::F32, 9, 20, 1)));
  }
  for (const auto& contents : whole) {
    for (size_t length = 0; length < contents.size(); length += 1 + length / 16)
      CHECK_FALSE(files::read_image(bytes_of(contents).first(length)));
    for (int i = 0; i < 400; ++i) {
      std::vector<uint8_t> flipped = contents;
      for (int times = 0; times < 3; ++times)
        flipped[random() % flipped.size()] ^= static_cast<uint8_t>(1u << random() % 8);
      const auto image = files::read_image(bytes_of(flipped));
      if (!image) continue;
      for (const auto& output : *image) CHECK(output.bytes.size() == batch_bytes(output.desc));
    }
  }
}

TEST_CASE("EXR keeps halves, floats and identifiers, layer by layer") {
  if (!files::reads_exr()) {
    MESSAGE("skipped: this build has no EXR support");
    return;
  }
  for (const auto& [width, height] : {std::pair{5u, 3u}, std::pair{33u, 70u}}) {
    for (uint32_t channels = 1; channels <= 6; ++channels) {
      CAPTURE(channels);
      for (const OutputKind kind : {OutputKind::Hdr, OutputKind::Tensor, OutputKind::Normal}) {
        const auto halves = numbers<uint16_t>(Dtype::F16, width, height, channels, kind);
        const auto image = files::read_image(bytes_of(saved("a.exr", halves)));
        REQUIRE(image);
        if (channels >= 3 && channels <= 4) check_equal(halves, (*image)[0]);
        if (channels == 2 && kind != OutputKind::Hdr) check_equal(halves, (*image)[0]);
        uint64_t bytes = 0;
        for (const auto& output : *image) bytes += output.bytes.size();
        CHECK(bytes == halves.bytes.size());
      }
    }
    const auto floats = numbers<uint32_t>(Dtype::F32, width, height, 1, OutputKind::Depth);
    const auto depth = files::read_image(bytes_of(saved("a.exr", floats)));
    REQUIRE(depth);
    CHECK((*depth)[0].name == "Z");
    CHECK((*depth)[0].desc.kind == OutputKind::Depth);
    check_equal(floats, (*depth)[0]);
    const auto ids = numbers<uint32_t>(Dtype::U32, width, height, 1, OutputKind::Id);
    const auto read = files::read_image(bytes_of(saved("a.exr", ids)));
    REQUIRE(read);
    CHECK((*read)[0].desc.kind == OutputKind::Id);
    check_equal(ids, (*read)[0]);
  }
  const auto bytes = numbers<uint8_t>(Dtype::U8, 4, 4, 3, OutputKind::Color);
  CHECK_FALSE(file_contents("a.exr", bytes.bytes, bytes.desc));
}
