#pragma once
// JPEG for moving pictures, by libjpeg-turbo.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "preview/frame.hpp"

namespace seamscope {

// Chroma at half resolution is right for moving colour; edges between identifiers and false colours need all of it.
enum class Chroma { Halved, Full };

// Keeps the compressor and its tables between pictures. Not thread-safe: one object a thread.
class JpegEncoder {
 public:
  JpegEncoder();
  ~JpegEncoder();
  JpegEncoder(const JpegEncoder&) = delete;
  JpegEncoder& operator=(const JpegEncoder&) = delete;

  // Alpha is ignored: what is transparent has colour black. `quality` 1..100. Sides up to 65500, the format's limit.
  Result<void> encode(const Picture& picture, int quality, Chroma chroma, std::vector<uint8_t>& out);

 private:
  void* handle_;
  std::unique_ptr<uint8_t[]> scratch_;
  size_t scratch_size_ = 0;
};

}  // namespace seamscope
