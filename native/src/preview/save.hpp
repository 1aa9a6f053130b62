#pragma once
// Saves an output of a frame as a file, at 1:1 and exactly.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "preview/frame.hpp"

namespace seamscope {

// The bytes of the file that `path`'s extension asks for: .png (8- and 16-bit unsigned outputs of up to 4 channels),
// .exr (halves, floats, 32-bit unsigned numbers), .pfm (floats of 1 or 3 channels) or .npy (everything).
// Rows go from top to bottom. Refuses, naming the way out, what the format cannot hold exactly. `frame` reaches
// frame_bytes(desc).
Result<std::vector<uint8_t>> file_contents(const std::string& path, std::span<const std::byte> frame,
                                           const FrameDesc& desc);

// NumPy's format 1.0, shape (height, width) or (height, width, channels). bf16 and R11G11B10F become float32 (exact),
// RGB10A2 and D24S8 the integers they pack.
std::vector<uint8_t> npy_contents(std::span<const std::byte> frame, const FrameDesc& desc);

Result<std::vector<uint8_t>> exr_contents(std::span<const std::byte> frame, const FrameDesc& desc);
// Little endian; halves, bfloats and R11G11B10F become float32 (exact), alpha is left out.
Result<std::vector<uint8_t>> pfm_contents(std::span<const std::byte> frame, const FrameDesc& desc);

// Writes a new file beside `path` and renames it, so that a reader never sees half of one. Returns the bytes written.
Result<uint64_t> write_file(const std::string& path, std::span<const uint8_t> contents);

}  // namespace seamscope
