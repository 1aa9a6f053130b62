#include "preview/encode_jpeg.hpp"

#include <turbojpeg.h>

#include <algorithm>

namespace seamscope {

JpegEncoder::JpegEncoder() : handle_(tjInitCompress()) {}

JpegEncoder::~JpegEncoder() {
  if (handle_) tjDestroy(handle_);
}

Result<void> JpegEncoder::encode(const Picture& picture, int quality, Chroma chroma, std::vector<uint8_t>& out) {
  const auto failed = [this] {
    return Error{"The picture could not be encoded as JPEG.", "Choose a smaller panel or another encoding.",
                 tjGetErrorStr2(handle_)};
  };
  const auto width = static_cast<int>(picture.width), height = static_cast<int>(picture.height);
  const int subsampling = chroma == Chroma::Halved ? TJSAMP_420 : TJSAMP_444;
  if (!handle_ || picture.width > 65500 || picture.height > 65500) return failed();
  unsigned long size = tjBufSize(width, height, subsampling);
  if (size == static_cast<unsigned long>(-1)) return failed();
  // The worst case is several times the picture; only the bytes used are handed on.
  if (scratch_size_ < size) scratch_.reset(new uint8_t[scratch_size_ = size]);
  unsigned char* target = scratch_.get();
  if (tjCompress2(handle_, picture.rgba.data(), width, 0, height, TJPF_RGBX, &target, &size, subsampling,
                  std::clamp(quality, 1, 100), TJFLAG_NOREALLOC | TJFLAG_FASTDCT) != 0)
    return failed();
  out.assign(target, target + size);
  return {};
}

}  // namespace seamscope
