#include "preview/encode.hpp"

#include "preview/encode_png.hpp"

namespace seamscope {

EncodeOptions moving_options(const ViewParams& params, OutputKind kind) {
  const bool sharp = kind == OutputKind::Id || params.false_color != FalseColor::None;
  return {params.encoding, params.jpeg_quality, sharp ? Chroma::Full : Chroma::Halved};
}

EncodeOptions lossless_options(const ViewParams& params) {
  return {params.encoding == Encoding::Rgba ? Encoding::Rgba : Encoding::Png, 100, Chroma::Full};
}

Result<std::vector<uint8_t>> Encoder::encode(Picture& picture, const EncodeOptions& options) {
  if (options.encoding == Encoding::Rgba) return std::move(picture.rgba);
  if (options.encoding == Encoding::Png) return encode_png({picture.width, picture.height, 4, picture.rgba});
  std::vector<uint8_t> bytes;
  if (auto done = jpeg_.encode(picture, options.jpeg_quality, options.chroma, bytes); !done) return done.error();
  return bytes;
}

}  // namespace seamscope
