#include "preview/view_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "preview/row_decode.hpp"
#include "preview/row_finish.hpp"

namespace seamscope {
namespace {

bool nearest(const std::vector<AxisTap>& taps) {
  return std::all_of(taps.begin(), taps.end(), [](const AxisTap& tap) { return tap.count < 2; });
}

bool per_channel(const FrameDesc& desc, const ViewParams& params) {
  const bool all_colors = (params.channel_mask & 7u) == 7u;
  const bool shape = desc.channels == 1 || desc.channels == 3 || desc.channels == 4;
  return desc.dtype == Dtype::U8 && desc.color_space != ColorSpace::Data && desc.kind == OutputKind::Color && shape &&
         params.false_color == FalseColor::None && !params.overlay_clip && all_colors;
}

// What the general path makes of each stored byte.
std::array<uint8_t, 256> codes_of(const FrameDesc& desc, const ViewParams& params) {
  FrameDesc grey = desc;
  grey.channels = 1;
  grey.pixel_stride = grey.channel_stride = 1;
  std::array<std::byte, 256> bytes;
  for (size_t i = 0; i < 256; ++i) bytes[i] = static_cast<std::byte>(i);
  std::array<float, 256> values;
  grey.width = 256;
  grey.height = 1;
  grey.bottom_up = false;
  RowDecoder(grey).decode(bytes.data(), 0, 0, values);
  std::array<uint8_t, 1024> rgba;
  RowFinisher(grey, params, {}).row(values, {}, rgba.data());
  std::array<uint8_t, 256> codes;
  for (size_t i = 0; i < 256; ++i) codes[i] = rgba[4 * i];
  return codes;
}

bool identity(const std::array<uint8_t, 256>& codes) {
  for (size_t i = 0; i < 256; ++i)
    if (codes[i] != i) return false;
  return true;
}

}  // namespace

std::optional<ByteView> ByteView::create(const FrameDesc& desc, const ViewParams& params,
                                         const std::vector<AxisTap>& columns, const std::vector<AxisTap>& rows) {
  if (!per_channel(desc, params) || !nearest(columns) || !nearest(rows)) return std::nullopt;
  ByteView view(desc, columns);
  view.codes_ = codes_of(desc, params);
  if (desc.channels > 1) view.channels_ = {0, 1, 2};
  if (desc.channels > 1 && params.swap_rb) view.channels_ = {2, 1, 0};
  const auto covered = [](const AxisTap& tap) { return tap.count != 0; };
  view.begin_ = static_cast<size_t>(std::find_if(columns.begin(), columns.end(), covered) - columns.begin());
  view.end_ = static_cast<size_t>(std::find_if(columns.rbegin(), columns.rend(), covered).base() - columns.begin());
  if (view.end_ <= view.begin_) view.begin_ = view.end_ = 0;
  bool one_to_one = true;
  for (size_t i = view.begin_ + 1; i < view.end_; ++i) one_to_one &= columns[i].first == columns[i - 1].first + 1;
  view.copies_ = one_to_one && identity(view.codes_) && desc.pixel_stride == 4 && desc.channel_stride == 1 &&
                 desc.channels >= 3 && !params.swap_rb;
  return view;
}

void ByteView::row(const std::byte* frame_row, uint8_t* rgba) const {
  std::fill(rgba, rgba + begin_ * 4, uint8_t{0});
  std::fill(rgba + end_ * 4, rgba + columns_.size() * 4, uint8_t{0});
  if (begin_ == end_) return;
  if (copies_) return copy(frame_row + static_cast<size_t>(columns_[begin_].first) * 4, rgba + begin_ * 4);
  const uint64_t r = channels_[0] * desc_.channel_stride, g = channels_[1] * desc_.channel_stride,
                 b = channels_[2] * desc_.channel_stride;
  for (size_t i = begin_; i < end_; ++i) {
    const auto* texel =
        reinterpret_cast<const uint8_t*>(frame_row) + static_cast<size_t>(columns_[i].first) * desc_.pixel_stride;
    rgba[4 * i] = codes_[texel[r]];
    rgba[4 * i + 1] = codes_[texel[g]];
    rgba[4 * i + 2] = codes_[texel[b]];
    rgba[4 * i + 3] = 255;
  }
}

// Colour bytes as they are; alpha becomes 255. The last texel of a 3-channel frame may end with the buffer, so its
// padding is not read.
void ByteView::copy(const std::byte* from, uint8_t* rgba) const {
  const size_t pixels = end_ - begin_;
  for (size_t i = 0; i + 1 < pixels; ++i) {
    uint32_t texel;
    std::memcpy(&texel, from + i * 4, 4);
    texel |= 0xFF000000u;
    std::memcpy(rgba + i * 4, &texel, 4);
  }
  std::memcpy(rgba + (pixels - 1) * 4, from + (pixels - 1) * 4, 3);
  rgba[(pixels - 1) * 4 + 3] = 255;
}

}  // namespace seamscope
