#include "preview/row_finish.hpp"

#include <bit>

#include "preview/passes.hpp"
#include "preview/row_decode.hpp"

namespace seamscope {
namespace {

using view_math::Rgb8;

constexpr size_t kMapEntries = 4096;

std::vector<Rgb8> tabulate(const view_math::Polynomial& map) {
  std::vector<Rgb8> entries(kMapEntries);
  for (size_t i = 0; i < kMapEntries; ++i) {
    const auto v = view_math::color_map(map, static_cast<float>(i) / (kMapEntries - 1));
    entries[i] = {view_math::quantise(v[0]), view_math::quantise(v[1]), view_math::quantise(v[2])};
  }
  return entries;
}

std::span<const Rgb8> map_table(FalseColor map) {
  // Never destroyed: a thread may still draw while the process runs its exit handlers.
  static const auto& turbo = *new std::vector<Rgb8>(tabulate(view_math::kTurbo));
  static const auto& viridis = *new std::vector<Rgb8>(tabulate(view_math::kViridis));
  if (map == FalseColor::Turbo) return turbo;
  if (map == FalseColor::Viridis) return viridis;
  return {};
}

void put(uint8_t* rgba, const Rgb8& color) {
  rgba[0] = color.r;
  rgba[1] = color.g;
  rgba[2] = color.b;
}

const Rgb8* flag_color(uint8_t flags) {
  if (flags & kFlagNan) return &view_math::kNan;
  if (flags & kFlagInf) return &view_math::kInf;
  return flags & kFlagNegative ? &view_math::kNegative : nullptr;
}

}  // namespace

double motion_limit(const ViewParams& params, const FrameStats& stats) {
  return params.range ? (*params.range)[1] : std::max(std::fabs(stats.min), std::fabs(stats.max));
}

Scale scale_of(const FrameDesc& desc, const ViewParams& params, const FrameStats& stats) {
  if (params.false_color == FalseColor::Bool || params.false_color == FalseColor::Normal) return {};
  const float gain = std::exp2(params.exposure);
  if (params.false_color == FalseColor::Motion) {
    const double limit = motion_limit(params, stats);
    return {limit > 0 ? static_cast<float>(gain / limit) : 0.0f, 0};
  }
  if (desc.color_space != ColorSpace::Data) return {gain, 0};
  const bool diverging = params.false_color == FalseColor::Diverging;
  const double most = std::max(std::fabs(stats.min), std::fabs(stats.max));
  const double low = params.range ? (*params.range)[0]
                     : diverging  ? -most
                                  : stats.min,
               high = params.range ? (*params.range)[1]
                      : diverging  ? most
                                   : stats.max;
  const float factor = high > low ? static_cast<float>(gain / (high - low)) : 0.0f;
  return {factor, diverging ? static_cast<float>(0.5 - (low + high) / 2 * factor) : static_cast<float>(-low * factor)};
}

RowFinisher::RowFinisher(const FrameDesc& desc, const ViewParams& params, const FrameStats& stats)
    : channels_(shown_channels(desc)),
      colors_(channels_ - (has_alpha(desc) ? 1 : 0)),
      data_(desc.color_space == ColorSpace::Data || params.false_color == FalseColor::Bool),
      unsigned_(is_unsigned(desc.dtype)),
      tone_map_(data_ || shows_vectors(params.false_color) ? ToneMap::None : params.tone_map),
      false_color_(params.false_color),
      gamma_(params.gamma),
      scale_(scale_of(desc, params, stats)),
      overlay_clip_(params.overlay_clip && !shows_vectors(params.false_color)),
      curve_(CurveTable::get(params.gamma, !data_)),
      map_(map_table(params.false_color)) {
  if (params.overlay_nan) wanted_flags_ |= kFlagNan;
  if (params.overlay_inf) wanted_flags_ |= kFlagInf;
  if (marks_negative(desc.kind, params)) wanted_flags_ |= kFlagNegative;
  choose_sources(desc, params);
}

void RowFinisher::choose_sources(const FrameDesc& desc, const ViewParams& params) {
  using namespace view_math;
  std::array<int, 4> shape{0, 0, 0, kOne};
  if (colors_ == 2) shape = {0, 1, false_color_ == FalseColor::Normal ? kThird : kZero, kOne};
  if (colors_ > 2) shape = {0, 1, 2, kOne};
  if (has_alpha(desc)) shape[3] = static_cast<int>(colors_);
  if (params.swap_rb && channels_ >= 3) std::swap(shape[0], shape[2]);
  const uint32_t mask = params.channel_mask & 0xFu;
  for (size_t c = 0; c < 3; ++c) sources_[c] = (mask >> c) & 1u ? shape[c] : kZero;
  if (std::has_single_bit(mask)) sources_.fill(shape[static_cast<size_t>(std::countr_zero(mask))]);
}

void RowFinisher::row(std::span<float> values, std::span<const uint8_t> flags, uint8_t* rgba) {
  scale(values);
  if (overlay_clip_) test_clip(values);
  map_tones(values);
  if (false_color_ == FalseColor::None)
    write_colors(values, rgba);
  else if (false_color_ == FalseColor::Normal)
    write_normals(values, rgba);
  else if (false_color_ == FalseColor::Motion)
    write_motion(values, rgba);
  else if (false_color_ == FalseColor::Diverging)
    write_diverging(values, rgba);
  else
    write_false_color(values, rgba);
  if (!flags.empty() || overlay_clip_) write_overlays(flags, rgba);
}

void RowFinisher::scale(std::span<float> values) const {
  const auto [factor, offset] = scale_;
  if (factor == 1.0f && offset == 0.0f) return;
  if (colors_ == channels_) {
    for (float& v : values) v = v * factor + offset;
    return;
  }
  for (size_t i = 0; i < values.size(); i += channels_)
    for (uint32_t c = 0; c < colors_; ++c) values[i + c] = values[i + c] * factor + offset;
}

void RowFinisher::test_clip(std::span<const float> values) {
  clipped_.assign(values.size() / channels_, 0);
  for (size_t p = 0; p < clipped_.size(); ++p)
    for (uint32_t c = 0; c < colors_; ++c) {
      const float v = values[p * channels_ + c];
      if (tone_map_ == ToneMap::None && v > 1.0f + view_math::kClipSlack) clipped_[p] = 1;
      if (v < -view_math::kClipSlack && clipped_[p] == 0) clipped_[p] = -1;
    }
}

void RowFinisher::map_tones(std::span<float> values) const {
  if (tone_map_ == ToneMap::None) return;
  for (size_t i = 0; i < values.size(); i += channels_)
    for (uint32_t c = 0; c < colors_; ++c) values[i + c] = view_math::tone_map(tone_map_, values[i + c]);
}

void RowFinisher::write_colors(std::span<const float> values, uint8_t* rgba) const {
  const CurveTable& curve = *curve_;
  const bool grey = sources_[0] == sources_[1] && sources_[1] == sources_[2];
  for (size_t i = 0; i < values.size(); i += channels_, rgba += 4) {
    const float* pixel = &values[i];
    rgba[0] = curve(source(pixel, sources_[0]));
    rgba[1] = grey ? rgba[0] : curve(source(pixel, sources_[1]));
    rgba[2] = grey ? rgba[0] : curve(source(pixel, sources_[2]));
    rgba[3] = 255;
  }
}

void RowFinisher::write_false_color(std::span<const float> values, uint8_t* rgba) const {
  for (size_t i = 0; i < values.size(); i += channels_, rgba += 4) {
    const float* pixel = &values[i];
    const float s = colors_ == 1 ? pixel[0]
                                 : view_math::luminance(source(pixel, sources_[0]), source(pixel, sources_[1]),
                                                        source(pixel, sources_[2]));
    if (map_.empty())
      rgba[0] = rgba[1] = rgba[2] = (*curve_)(s);
    else
      put(rgba, map_[static_cast<size_t>(view_math::curve(s, gamma_) * (kMapEntries - 1) + 0.5f)]);
    rgba[3] = 255;
  }
}

void RowFinisher::write_diverging(std::span<const float> values, uint8_t* rgba) const {
  for (size_t i = 0; i < values.size(); i += channels_, rgba += 4) {
    const float* pixel = &values[i];
    const auto part = [&](int from) { return from < 0 ? 0.0f : 2.0f * pixel[from] - 1.0f; };
    const float d =
        colors_ == 1 ? part(0) : view_math::luminance(part(sources_[0]), part(sources_[1]), part(sources_[2]));
    const auto color = view_math::diverging_color(d, gamma_);
    put(rgba, {view_math::quantise(color[0]), view_math::quantise(color[1]), view_math::quantise(color[2])});
    rgba[3] = 255;
  }
}

void RowFinisher::write_normals(std::span<const float> values, uint8_t* rgba) const {
  const auto component = [this](float v) { return unsigned_ ? 2.0f * v - 1.0f : v; };
  for (size_t i = 0; i < values.size(); i += channels_, rgba += 4) {
    const float* pixel = &values[i];
    for (size_t c = 0; c < 3; ++c) {
      const int from = sources_[c];
      if (from == view_math::kThird)
        rgba[c] = view_math::quantise(
            view_math::normal_value(view_math::third_component(component(pixel[0]), component(pixel[1]))));
      else
        rgba[c] = view_math::quantise(from < 0 ? source(pixel, from) : view_math::normal_value(component(pixel[from])));
    }
    rgba[3] = 255;
  }
}

void RowFinisher::write_motion(std::span<const float> values, uint8_t* rgba) const {
  for (size_t i = 0; i < values.size(); i += channels_, rgba += 4) {
    const auto color = view_math::motion_color(values[i], colors_ > 1 ? values[i + 1] : 0.0f);
    put(rgba, {view_math::quantise(color[0]), view_math::quantise(color[1]), view_math::quantise(color[2])});
    rgba[3] = 255;
  }
}

void RowFinisher::write_overlays(std::span<const uint8_t> flags, uint8_t* rgba) const {
  const size_t pixels = overlay_clip_ ? clipped_.size() : flags.size();
  for (size_t p = 0; p < pixels; ++p, rgba += 4) {
    const Rgb8* color = flags.empty() ? nullptr : flag_color(flags[p] & wanted_flags_);
    if (!color && overlay_clip_ && clipped_[p] != 0) color = clipped_[p] > 0 ? &view_math::kAbove : &view_math::kBelow;
    if (color) put(rgba, *color);
  }
}

}  // namespace seamscope
