#include "preview/gpu_view_push.hpp"

#include <cmath>
#include <utility>

#include "preview/passes.hpp"
#include "preview/row_decode.hpp"
#include "preview/row_finish.hpp"

namespace seamscope {
namespace {

constexpr uint32_t kNormalised = 1, kSrgb = 2, kData = 4, kClip = 8, kReinhard = 16, kAces = 32, kThirdChannel = 64,
                   kTruth = 128, kUnit = 256, kUnsigned = 512;

uint32_t options_of(const FrameDesc& desc, const ViewParams& params) {
  const DecodeAs as = decode_as(params.false_color);
  const bool vectors = shows_vectors(params.false_color);
  const bool data = desc.color_space == ColorSpace::Data || as == DecodeAs::Truth;
  uint32_t options = data ? kData : 0;
  if (as == DecodeAs::Unit || desc.color_space != ColorSpace::Data) options |= kNormalised;
  if (as == DecodeAs::Unit) options |= kUnit;
  if (as == DecodeAs::Truth) options |= kTruth;
  if (as == DecodeAs::Stored && desc.color_space == ColorSpace::Srgb) options |= kSrgb;
  if (is_unsigned(desc.dtype)) options |= kUnsigned;
  if (params.overlay_clip && !vectors) options |= kClip;
  if (!data && !vectors && params.tone_map == ToneMap::Reinhard) options |= kReinhard;
  if (!data && !vectors && params.tone_map == ToneMap::Aces) options |= kAces;
  if (params.swap_rb && shown_channels(desc) >= 3) options |= kThirdChannel;
  return options;
}

uint32_t flags_of(const FrameDesc& desc, const ViewParams& params) {
  uint32_t flags = 0;
  if (params.overlay_nan) flags |= kFlagNan;
  if (params.overlay_inf) flags |= kFlagInf;
  if (marks_negative(desc.kind, params)) flags |= kFlagNegative;
  return flags;
}

// Steps 10 and 11 of view_math.hpp.
void choose_sources(ViewPush& push, const FrameDesc& desc, const ViewParams& params) {
  using namespace view_math;
  int32_t shape[4] = {0, 0, 0, kOne};
  if (push.colors == 2) shape[1] = 1, shape[2] = params.false_color == FalseColor::Normal ? kThird : kZero;
  if (push.colors > 2) shape[1] = 1, shape[2] = 2;
  if (has_alpha(desc)) shape[3] = static_cast<int32_t>(push.colors);
  if (params.swap_rb && push.channels >= 3) std::swap(shape[0], shape[2]);
  const uint32_t mask = params.channel_mask & 0xFu;
  const bool single = mask && (mask & (mask - 1)) == 0;
  for (uint32_t c = 0; c < 3; ++c) push.sources[c] = (mask >> c) & 1u ? shape[c] : kZero;
  if (!single) return;
  for (uint32_t c = 0; c < 4; ++c)
    if (mask == 1u << c) push.sources[0] = push.sources[1] = push.sources[2] = shape[c];
}

}  // namespace

ViewPush view_push(const FrameDesc& desc, const ViewParams& params, const FrameStats& stats) {
  ViewPush push;
  push.row_stride = static_cast<uint32_t>(desc.row_stride);
  push.pixel_stride = static_cast<uint32_t>(desc.pixel_stride);
  push.width = params.width;
  push.height = params.height;
  push.channels = shown_channels(desc);
  push.colors = push.channels - (has_alpha(desc) ? 1 : 0);
  push.options = options_of(desc, params);
  push.flags = flags_of(desc, params);
  push.inv_gamma = params.gamma == 1.0f ? 1.0f : 1.0f / params.gamma;
  push.false_color = static_cast<uint32_t>(params.false_color);
  choose_sources(push, desc, params);
  const Scale scale = scale_of(desc, params, stats);
  push.scale = scale.factor;
  push.offset = scale.offset;
  return push;
}

}  // namespace seamscope
