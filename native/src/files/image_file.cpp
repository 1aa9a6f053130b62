#include "files/image_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <new>
#include <string_view>

#include "preview/texel.hpp"

namespace seamscope::files {
namespace {

struct Format {
  std::string_view magic;
  Result<Image> (*read)(Bytes);
};
constexpr std::array<Format, 5> kFormats{{{std::string_view("\x89PNG\r\n\x1a\n", 8), read_png},
                                          {std::string_view("\x93NUMPY", 6), read_npy},
                                          {std::string_view("\x76\x2f\x31\x01", 4), read_exr},
                                          {std::string_view("PF\n", 3), read_pfm},
                                          {std::string_view("Pf\n", 3), read_pfm}}};
constexpr std::array<std::string_view, 4> kExtensions{".png", ".npy", ".exr", ".pfm"};

bool begins_with(Bytes file, std::string_view magic) {
  return file.size() >= magic.size() && std::memcmp(file.data(), magic.data(), magic.size()) == 0;
}

}  // namespace

Error broken(const std::string& what) {
  return {what, "Write the file again, or choose other files.", {}};
}

bool is_image_name(const std::string& name) {
  const auto ends_with = [&](std::string_view extension) {
    if (name.size() < extension.size()) return false;
    return std::equal(extension.begin(), extension.end(), name.end() - static_cast<std::ptrdiff_t>(extension.size()),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
  };
  return std::any_of(kExtensions.begin(), kExtensions.end(), ends_with);
}

Result<FrameDesc> dense_desc(uint64_t width, uint64_t height, uint64_t channels, Dtype dtype) {
  const uint64_t size = dtype_size(dtype);
  if (width == 0 || height == 0 || channels == 0) return broken("The image has no pixels.");
  // One after the other, so that no product overflows.
  const bool fits = width <= kMostBytes && height <= kMostBytes / width && channels <= kMostBytes / (width * height) &&
                    size <= kMostBytes / (width * height * channels);
  if (!fits)
    return broken("The image of " + std::to_string(width) + "x" + std::to_string(height) + " pixels with " +
                  std::to_string(channels) + " channels is larger than the limit of " +
                  std::to_string(kMostBytes >> 20) + " MiB.");
  FrameDesc desc;
  desc.width = static_cast<uint32_t>(width);
  desc.height = static_cast<uint32_t>(height);
  desc.channels = static_cast<uint32_t>(channels);
  desc.dtype = dtype;
  desc.channel_stride = size;
  desc.pixel_stride = channels * size;
  desc.row_stride = desc.pixel_stride * width;
  return desc;
}

Result<Image> read_image(Bytes file) {
  try {
    for (const Format& format : kFormats)
      if (begins_with(file, format.magic)) return format.read(file);
    return broken(file.empty() ? "The file is empty." : "The file is neither PNG, NPY, EXR nor PFM.");
  } catch (const std::bad_alloc&) {
    return Error{"There is not enough memory for the image.", "Close other programs.", {}};
  }
}

}  // namespace seamscope::files
