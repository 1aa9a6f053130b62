#include "preview/encode_png.hpp"

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image_write.h>
#pragma GCC diagnostic pop

#include <cstdlib>
#include <limits>
#include <memory>

namespace seamscope {
namespace {

struct Free {
  void operator()(unsigned char* bytes) const { std::free(bytes); }
};

// One filter for all rows (Paeth) and the quickest search: trying all five costs a quarter more time for a thousandth
// of the size.
const bool kConfigured = [] {
  stbi_write_force_png_filter = 4;
  stbi_write_png_compression_level = 5;
  return true;
}();

const Error kNoMemory{"There is not enough memory for the PNG file.", "Close other programs.", {}};

// The writer counts in int, and its buffers are a little larger than the picture.
Result<void> check_size(const PngImage& image, uint64_t bytes_per_channel) {
  const uint64_t bytes = uint64_t{image.width} * image.height * image.channels * bytes_per_channel;
  if (bytes != 0 && bytes <= std::numeric_limits<int>::max() / 2 && image.bytes.size() >= bytes) return {};
  return Error{"A picture of " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                   " pixels does not fit into a PNG file.",
               "Choose a smaller picture, or save as .npy.",
               {}};
}

void append_word(std::vector<uint8_t>& out, uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<uint8_t>(word >> shift));
}

void append_chunk(std::vector<uint8_t>& out, const char* name, std::span<const uint8_t> contents) {
  append_word(out, static_cast<uint32_t>(contents.size()));
  const size_t begin = out.size();
  out.insert(out.end(), name, name + 4);
  out.insert(out.end(), contents.begin(), contents.end());
  append_word(out, stbiw__crc32(out.data() + begin, static_cast<int>(out.size() - begin)));
}

// Big-endian rows, each byte less the same byte of the texel before it (filter 1).
std::vector<uint8_t> filtered_rows16(const PngImage& image) {
  const size_t texel = size_t{image.channels} * 2, row = image.width * texel;
  std::vector<uint8_t> rows((row + 1) * image.height);
  std::vector<uint8_t> line(row);
  for (size_t y = 0; y < image.height; ++y) {
    const uint8_t* from = image.bytes.data() + y * row;
    for (size_t i = 0; i < row; i += 2) line[i] = from[i + 1], line[i + 1] = from[i];
    uint8_t* to = rows.data() + y * (row + 1);
    *to++ = 1;
    for (size_t i = 0; i < row; ++i) to[i] = static_cast<uint8_t>(line[i] - (i < texel ? 0 : line[i - texel]));
  }
  return rows;
}

}  // namespace

Result<std::vector<uint8_t>> encode_png16(const PngImage& image) {
  if (auto fits = check_size(image, 2); !fits) return fits.error();
  constexpr uint8_t kColorTypes[] = {0, 0, 4, 2, 6};
  std::vector<uint8_t> rows = filtered_rows16(image);
  int size = 0;
  const std::unique_ptr<unsigned char, Free> packed(
      stbi_zlib_compress(rows.data(), static_cast<int>(rows.size()), &size, stbi_write_png_compression_level));
  if (!packed || !kConfigured) return kNoMemory;
  std::vector<uint8_t> out{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  std::vector<uint8_t> header;
  append_word(header, image.width);
  append_word(header, image.height);
  header.insert(header.end(), {16, kColorTypes[image.channels], 0, 0, 0});
  append_chunk(out, "IHDR", header);
  append_chunk(out, "IDAT", {packed.get(), static_cast<size_t>(size)});
  append_chunk(out, "IEND", {});
  return out;
}

Result<std::vector<uint8_t>> encode_png(const PngImage& image) {
  if (auto fits = check_size(image, 1); !fits) return fits.error();
  const auto width = static_cast<int>(image.width), height = static_cast<int>(image.height),
             channels = static_cast<int>(image.channels);
  int size = 0;
  const std::unique_ptr<unsigned char, Free> png(
      stbi_write_png_to_mem(image.bytes.data(), width * channels, width, height, channels, &size));
  if (!png || !kConfigured) return kNoMemory;
  return std::vector<uint8_t>(png.get(), png.get() + size);
}

}  // namespace seamscope
