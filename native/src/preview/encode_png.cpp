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

}  // namespace

Result<std::vector<uint8_t>> encode_png(const PngImage& image) {
  // The writer counts in int, and its buffers are a little larger than the picture.
  const uint64_t bytes = uint64_t{image.width} * image.height * image.channels;
  if (bytes == 0 || bytes > std::numeric_limits<int>::max() / 2 || image.bytes.size() < bytes) {
    return Error{"A picture of " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                     " pixels does not fit into a PNG file.",
                 "Choose a smaller picture, or save as .npy.",
                 {}};
  }
  const auto width = static_cast<int>(image.width), height = static_cast<int>(image.height),
             channels = static_cast<int>(image.channels);
  int size = 0;
  const std::unique_ptr<unsigned char, Free> png(
      stbi_write_png_to_mem(image.bytes.data(), width * channels, width, height, channels, &size));
  if (!png || !kConfigured) return Error{"There is not enough memory for the PNG file.", "Close other programs.", {}};
  return std::vector<uint8_t>(png.get(), png.get() + size);
}

}  // namespace seamscope
