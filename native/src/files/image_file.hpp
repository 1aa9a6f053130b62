#pragma once
// Image files as frames: PNG, NPY, PFM, EXR. Every file is taken for hostile: sizes are checked before memory is asked
// for, and what a reader does not understand is refused by name.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "preview/frame.hpp"

namespace seamscope::files {

// Bytes of a file, and of its picture in memory, at most.
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

struct ImageOutput {
  std::string name;
  FrameDesc desc;
  std::vector<std::byte> bytes;
};
using Image = std::vector<ImageOutput>;

using Bytes = std::span<const std::byte>;

// Reads what the contents say they are; the name of a file is not looked at. Never throws.
Result<Image> read_image(Bytes file);

Result<Image> read_png(Bytes file);
Result<Image> read_npy(Bytes file);
Result<Image> read_pfm(Bytes file);
Result<Image> read_exr(Bytes file);

// Whether this build has the library that reads and writes EXR.
bool reads_exr();

// Whether a file of this name may be an image at all.
bool is_image_name(const std::string& name);

// A dense interleaved image; error when its sides are 0 or it would be larger than kMostBytes.
Result<FrameDesc> dense_desc(uint64_t width, uint64_t height, uint64_t channels, Dtype dtype);

Error broken(const std::string& what);

}  // namespace seamscope::files
