#include "encode_decode.hpp"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace seamscope::test {

DecodedPng decode_png(std::span<const uint8_t> png) {
  int width = 0, height = 0, channels = 0;
  stbi_uc* pixels = stbi_load_from_memory(png.data(), static_cast<int>(png.size()), &width, &height, &channels, 0);
  if (!pixels) return {};
  DecodedPng decoded{static_cast<uint32_t>(width), static_cast<uint32_t>(height), static_cast<uint32_t>(channels), {}};
  decoded.bytes.assign(pixels, pixels + size_t{decoded.width} * decoded.height * decoded.channels);
  stbi_image_free(pixels);
  return decoded;
}

}  // namespace seamscope::test
