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

// The stored numbers, top row first.
template <Dtype D>
std::vector<uint8_t> packed_rows(std::span<const std::byte> frame, const FrameDesc& desc) {
  using Number = decltype(load<D>(nullptr, 0));
  std::vector<uint8_t> rows(size_t{desc.width} * desc.height * desc.channels * sizeof(Number));
  uint8_t* to = rows.data();
  for (uint32_t y = 0; y < desc.height; ++y)
    for (uint32_t x = 0; x < desc.width; ++x) {
      const std::byte* texel = frame.data() + row_offset(desc, y) + x * desc.pixel_stride;
      for (uint32_t c = 0; c < desc.channels; ++c, to += sizeof(Number)) {
        const Number number = load<D>(texel + c * desc.channel_stride, c);
        std::memcpy(to, &number, sizeof number);
      }
    }
  return rows;
}

Result<std::vector<uint8_t>> png_contents(std::span<const std::byte> frame, const FrameDesc& desc) {
  if (desc.channels <= 4 && desc.dtype == Dtype::U8)
    return encode_png({desc.width, desc.height, desc.channels, packed_rows<Dtype::U8>(frame, desc)});
  if (desc.channels <= 4 && desc.dtype == Dtype::U16)
    return encode_png16({desc.width, desc.height, desc.channels, packed_rows<Dtype::U16>(frame, desc)});
  return Error{"A PNG file cannot hold this output exactly: it is not made of 1 to 4 channels of 8 or 16 bits.",
               "Save it as .npy, which keeps every value.",
               {}};
}

}  // namespace

Result<std::vector<uint8_t>> file_contents(const std::string& path, std::span<const std::byte> frame,
                                           const FrameDesc& desc) {
  if (frame_bytes(desc) == 0 || frame.size() < frame_bytes(desc))
    return Error{"The frame is empty.", "Wait for a frame and save again.", {}};
  const std::string extension = extension_of(path);
  if (extension == ".npy") return npy_contents(frame, desc);
  if (extension == ".png") return png_contents(frame, desc);
  if (extension == ".exr") return exr_contents(frame, desc);
  if (extension == ".pfm") return pfm_contents(frame, desc);
  return Error{extension.empty() ? "The file name has no extension, so the format is unknown."
                                 : "Files of type " + extension + " cannot be written.",
               "Choose a name that ends in .png (8 and 16 bits), .exr, .pfm (floats) or .npy (every output).",
               {}};
}

}  // namespace seamscope
