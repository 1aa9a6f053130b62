#pragma once
// A picture in the encoding that the viewer asked for.

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "preview/encode_jpeg.hpp"
#include "preview/frame.hpp"

namespace seamscope {

struct EncodeOptions {
  Encoding encoding = Encoding::Jpeg;
  int jpeg_quality = 80;
  Chroma chroma = Chroma::Halved;
};

// How the moving pictures of such a view are encoded, and how its picture at rest is.
EncodeOptions moving_options(const ViewParams& params, OutputKind kind);
EncodeOptions lossless_options(const ViewParams& params);

// Not thread-safe: one object a thread.
class Encoder {
 public:
  // RGBA hands the picture's own bytes over and leaves it without any.
  Result<std::vector<uint8_t>> encode(Picture& picture, const EncodeOptions& options);

 private:
  JpegEncoder jpeg_;
};

}  // namespace seamscope
