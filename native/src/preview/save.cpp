#include "preview/save.hpp"

#include <algorithm>
#include <cctype>

#include "preview/encode_png.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

std::string extension_of(const std::string& path) {
  const size_t dot = path.find_last_of("./");
  if (dot == std::string::npos || path[dot] == '/') return "";
  std::string extension = path.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Result<std::vector<uint8_t>> png_contents(std::span<const std::byte> frame, const FrameDesc& desc) {
  if (desc.dtype != Dtype::U8 || desc.channels > 4) {
    return Error{"A PNG file cannot hold this output exactly: it is not made of 1 to 4 channels of 8 bits.",
                 "Save it as .npy, which keeps every value.",
                 {}};
  }
  std::vector<uint8_t> rows;
  rows.reserve(size_t{desc.width} * desc.height * desc.channels);
  for (uint32_t y = 0; y < desc.height; ++y)
    for (uint32_t x = 0; x < desc.width; ++x) {
      const std::byte* texel = frame.data() + row_offset(desc, y) + x * desc.pixel_stride;
      for (uint32_t c = 0; c < desc.channels; ++c) rows.push_back(load<Dtype::U8>(texel + c * desc.channel_stride, c));
    }
  return encode_png({desc.width, desc.height, desc.channels, rows});
}

}  // namespace

Result<std::vector<uint8_t>> file_contents(const std::string& path, std::span<const std::byte> frame,
                                           const FrameDesc& desc) {
  if (frame_bytes(desc) == 0 || frame.size() < frame_bytes(desc))
    return Error{"The frame is empty.", "Wait for a frame and save again.", {}};
  const std::string extension = extension_of(path);
  if (extension == ".npy") return npy_contents(frame, desc);
  if (extension == ".png") return png_contents(frame, desc);
  return Error{extension.empty() ? "The file name has no extension, so the format is unknown."
                                 : "Files of type " + extension + " cannot be written.",
               "Choose a name that ends in .png (8-bit outputs) or .npy (every output).",
               {}};
}

}  // namespace seamscope
