#include "preview/row_decode.hpp"

#include <cmath>
#include <limits>

#include "preview/passes.hpp"
#include "preview/texel.hpp"
#include "preview/view_math.hpp"

namespace seamscope {
namespace {

// Largest stored integer of formats that are divided by it in colour frames (`unit`: of signed ones too); 0 for the
// others.
template <Dtype D>
constexpr float normaliser(uint32_t channel, bool unit = false) {
  if (unit && D == Dtype::I8) return 127.0f;
  if (unit && D == Dtype::I16) return 32767.0f;
  if (unit && D == Dtype::I32) return 2147483647.0f;
  if (D == Dtype::U8) return 255.0f;
  if (D == Dtype::U16) return 65535.0f;
  if (D == Dtype::U32) return 4294967295.0f;
  if (D == Dtype::RGB10A2) return channel == 3 ? 3.0f : 1023.0f;
  return 0.0f;
}

template <Dtype D>
constexpr bool kTabled = D == Dtype::U8 || D == Dtype::U16 || D == Dtype::RGB10A2;

// All numbers of the span lie side by side.
template <Dtype D>
void decode_dense(const std::byte* at, std::span<float> out, float scale) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(load<D>(at + i * dtype_size(D), 0)) * scale;
}

template <Dtype D>
void decode_strided(const std::byte* at, const FrameDesc& desc, uint32_t channels, std::span<float> out, bool scale,
                    bool unit) {
  for (uint32_t c = 0; c < channels; ++c) {
    const float divisor = scale && normaliser<D>(c, unit) != 0 ? normaliser<D>(c, unit) : 1.0f;
    const std::byte* from = at + channel_offset(desc, c);
    for (size_t i = c; i < out.size(); i += channels, from += desc.pixel_stride)
      out[i] = static_cast<float>(load<D>(from, c)) / divisor;
  }
}

template <Dtype D>
void decode_tabled(const std::byte* at, const FrameDesc& desc, uint32_t colors, uint32_t channels, std::span<float> out,
                   const float* table) {
  for (uint32_t c = 0; c < colors; ++c) {
    const std::byte* from = at + channel_offset(desc, c);
    for (size_t i = c; i < out.size(); i += channels, from += desc.pixel_stride)
      out[i] = table[static_cast<uint32_t>(load<D>(from, c))];
  }
  if (colors == channels) return;
  const std::byte* from = at + channel_offset(desc, colors);
  for (size_t i = colors; i < out.size(); i += channels, from += desc.pixel_stride)
    out[i] = static_cast<float>(load<D>(from, colors)) / normaliser<D>(colors);
}

template <Dtype D>
std::vector<float> make_table() {
  if constexpr (!kTabled<D>) return {};
  std::vector<float> table(static_cast<size_t>(normaliser<D>(0)) + 1);
  for (size_t i = 0; i < table.size(); ++i) table[i] = view_math::srgb_decode(static_cast<float>(i) / normaliser<D>(0));
  return table;
}

bool dense(const FrameDesc& desc, uint32_t channels) {
  const uint64_t size = dtype_size(desc.dtype);
  return !is_packed(desc.dtype) && desc.pixel_stride == channels * size &&
         (channels == 1 || desc.channel_stride == size);
}

uint8_t flags_of(float v) {
  if (std::isnan(v)) return kFlagNan;
  if (std::isinf(v)) return kFlagInf;
  return v < 0 ? kFlagNegative : 0;
}

}  // namespace

DecodeAs decode_as(FalseColor false_color) {
  if (false_color == FalseColor::Bool) return DecodeAs::Truth;
  return false_color == FalseColor::Normal ? DecodeAs::Unit : DecodeAs::Stored;
}

RowDecoder::RowDecoder(const FrameDesc& desc, DecodeAs as)
    : desc_(desc),
      channels_(shown_channels(desc)),
      colors_(channels_ - (has_alpha(desc) ? 1 : 0)),
      as_(as),
      normalised_(as == DecodeAs::Unit || desc.color_space != ColorSpace::Data),
      srgb_(as == DecodeAs::Stored && desc.color_space == ColorSpace::Srgb) {
  if (srgb_) table_ = with_dtype(desc.dtype, [](auto tag) { return make_table<tag.value>(); });
  if (desc.dtype == Dtype::U8 && as == DecodeAs::Stored) make_byte_table();
}

void RowDecoder::make_byte_table() {
  const bool side_by_side = channels_ == 1 || desc_.channel_stride == 1;
  if (!side_by_side || colors_ != channels_) return;
  byte_table_ = table_;
  if (srgb_) return;
  byte_table_.resize(256);
  for (size_t i = 0; i < 256; ++i) byte_table_[i] = static_cast<float>(i) * (normalised_ ? 1.0f / 255.0f : 1.0f);
}

const std::byte* RowDecoder::row(const std::byte* frame, uint32_t y) const {
  return frame + row_offset(desc_, y);
}

void RowDecoder::decode(const std::byte* frame, uint32_t y, uint32_t first, std::span<float> out) const {
  const std::byte* at = row(frame, y) + first * desc_.pixel_stride;
  with_dtype(desc_.dtype, [&](auto tag) {
    constexpr Dtype D = tag.value;
    if constexpr (kTabled<D>) {
      if (srgb_) return decode_tabled<D>(at, desc_, colors_, channels_, out, table_.data());
    }
    const bool unit = as_ == DecodeAs::Unit;
    if (!dense(desc_, channels_)) return decode_strided<D>(at, desc_, channels_, out, normalised_, unit);
    const float divisor = normalised_ ? normaliser<D>(0, unit) : 0.0f;
    decode_dense<D>(at, out, divisor != 0 ? 1.0f / divisor : 1.0f);
  });
  if (!srgb_ || !table_.empty()) return;
  for (size_t i = 0; i < out.size(); i += channels_)
    for (uint32_t c = 0; c < colors_; ++c) out[i + c] = view_math::srgb_decode(out[i + c]);
}

void RowDecoder::take_truth(std::span<float> texels) const {
  if (as_ != DecodeAs::Truth) return;
  for (float& v : texels) v = v != 0.0f ? 1.0f : 0.0f;
}

void RowDecoder::take_flags(std::span<float> texels, std::span<uint8_t> flags) const {
  for (size_t t = 0; t < flags.size(); ++t)
    for (uint32_t c = 0; c < channels_; ++c) {
      float& v = texels[t * channels_ + c];
      const uint8_t flag = flags_of(v);
      if (c < colors_) flags[t] |= flag;
      if (flag & kFlagNan) v = 0;
      if (flag & kFlagInf) v = std::copysign(view_math::kInfStandIn, v);
    }
}

}  // namespace seamscope
