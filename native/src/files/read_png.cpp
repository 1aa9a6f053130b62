// PNG by stb_image, with a bound on the memory that a file can make it ask for.

#include <cstdlib>
#include <cstring>

#include "files/image_file.hpp"
#include "preview/texel.hpp"

namespace {

// What the decoder may ask for at once. The decoder runs to its end on one thread.
thread_local size_t most_bytes = 0;

void* bounded_malloc(size_t bytes) {
  return bytes <= most_bytes ? std::malloc(bytes) : nullptr;
}
void* bounded_realloc(void* old, size_t bytes) {
  return bytes <= most_bytes ? std::realloc(old, bytes) : nullptr;
}

}  // namespace

#define STBI_MALLOC(bytes) bounded_malloc(bytes)
#define STBI_REALLOC(old, bytes) bounded_realloc(old, bytes)
#define STBI_FREE(old) std::free(old)
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop

#include <memory>

namespace seamscope::files {
namespace {

struct Free {
  void operator()(void* pixels) const { std::free(pixels); }
};
using Pixels = std::unique_ptr<void, Free>;

uint64_t big_endian(const std::byte* at) {
  uint64_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | std::to_integer<uint64_t>(at[i]);
  return value;
}

// The decoder takes a file that ends early for a picture whose rest is black.
bool ends_with_iend(Bytes file) {
  constexpr std::string_view kEnd("IEND\xAE\x42\x60\x82", 8);
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  return text.substr(text.size() - std::min<size_t>(text.size(), 4096)).find(kEnd) != std::string_view::npos;
}

Pixels decode(Bytes file, bool wide, int& channels) {
  const auto* bytes = reinterpret_cast<const stbi_uc*>(file.data());
  const int size = static_cast<int>(file.size());
  int width = 0, height = 0;
  if (wide) return Pixels(stbi_load_16_from_memory(bytes, size, &width, &height, &channels, 0));
  return Pixels(stbi_load_from_memory(bytes, size, &width, &height, &channels, 0));
}

}  // namespace

Result<Image> read_png(Bytes file) {
  if (file.size() < 33 || file.size() > kMostBytes) return broken("The header of the PNG file is not complete.");
  const uint64_t width = big_endian(file.data() + 16), height = big_endian(file.data() + 20);
  const bool wide = std::to_integer<int>(file[24]) == 16;
  // Four channels are the most that a PNG can decode to.
  if (const auto most = dense_desc(width, height, 4, wide ? Dtype::U16 : Dtype::U8); !most) return most.error();
  if (!ends_with_iend(file)) return broken("The PNG file ends before its last part.");
  most_bytes = static_cast<size_t>(2 * (width * (wide ? 8 : 4) + 1) * height + file.size() + 65536);
  int channels = 0;
  const Pixels pixels = decode(file, wide, channels);
  if (!pixels) return broken(std::string("The PNG file is damaged (") + stbi_failure_reason() + ").");
  auto desc = dense_desc(width, height, static_cast<uint64_t>(channels), wide ? Dtype::U16 : Dtype::U8);
  if (!desc) return desc.error();
  const auto* begin = static_cast<const std::byte*>(pixels.get());
  Image image;
  image.push_back({"color", *desc, {begin, begin + frame_bytes(*desc)}});
  return image;
}

}  // namespace seamscope::files
