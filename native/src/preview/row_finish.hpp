#pragma once
// Steps 6 to 15 of view_math.hpp for one picture row: filtered values to RGBA bytes.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "preview/curve_table.hpp"
#include "preview/frame.hpp"
#include "preview/view_math.hpp"

namespace seamscope {

class RowFinisher {
 public:
  RowFinisher(const FrameDesc& desc, const ViewParams& params, const FrameStats& stats);

  // Flags that an overlay of these parameters would show.
  uint8_t wanted_flags() const { return wanted_flags_; }

  // `values` holds shown_channels(desc) floats a pixel and is used as scratch; `flags` (one a pixel) may be empty: no
  // texel has any.
  void row(std::span<float> values, std::span<const uint8_t> flags, uint8_t* rgba);

 private:
  // Where a picture colour comes from: a channel, or one of these constants.
  static constexpr int kZero = -1, kOne = -2;
  void choose_sources(const FrameDesc& desc, const ViewParams& params);
  void scale(std::span<float> values) const;
  void test_clip(std::span<const float> values);
  void map_tones(std::span<float> values) const;
  void write_colors(std::span<const float> values, uint8_t* rgba) const;
  void write_false_color(std::span<const float> values, uint8_t* rgba) const;
  void write_overlays(std::span<const uint8_t> flags, uint8_t* rgba) const;
  float source(const float* pixel, int from) const { return from >= 0 ? pixel[from] : from == kOne ? 1.0f : 0.0f; }

  uint32_t channels_, colors_;
  bool data_;
  ToneMap tone_map_;
  FalseColor false_color_;
  float gamma_, scale_ = 1, offset_ = 0;
  bool overlay_clip_;
  uint8_t wanted_flags_ = 0;
  std::array<int, 3> sources_{};
  std::shared_ptr<const CurveTable> curve_;
  std::span<const view_math::Rgb8> map_;
  std::vector<int8_t> clipped_;
};

}  // namespace seamscope
