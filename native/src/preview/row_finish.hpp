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

// Pictures of directions skip range, exposure of colours and tone maps.
inline bool shows_vectors(FalseColor false_color) {
  return false_color == FalseColor::Normal || false_color == FalseColor::Motion;
}
// Whether negative values are worth a mark.
inline bool marks_negative(OutputKind kind, const ViewParams& params) {
  const bool kinds = kind == OutputKind::Color || kind == OutputKind::Hdr || kind == OutputKind::Depth;
  return params.overlay_negative && kinds && !shows_vectors(params.false_color);
}
// What length motion shows fully saturated.
double motion_limit(const ViewParams& params, const FrameStats& stats);
// Steps 6 and 7 of view_math.hpp as one multiplication and one addition.
struct Scale {
  float factor = 1, offset = 0;
};
Scale scale_of(const FrameDesc& desc, const ViewParams& params, const FrameStats& stats);
inline bool is_unsigned(Dtype dtype) {
  return dtype == Dtype::Bool || dtype == Dtype::U8 || dtype == Dtype::U16 || dtype == Dtype::U32 ||
         dtype == Dtype::RGB10A2;
}

class RowFinisher {
 public:
  RowFinisher(const FrameDesc& desc, const ViewParams& params, const FrameStats& stats);

  // Flags that an overlay of these parameters would show.
  uint8_t wanted_flags() const { return wanted_flags_; }

  // `values` holds shown_channels(desc) floats a pixel and is used as scratch; `flags` (one a pixel) may be empty: no
  // texel has any.
  void row(std::span<float> values, std::span<const uint8_t> flags, uint8_t* rgba);

 private:
  void choose_sources(const FrameDesc& desc, const ViewParams& params);
  void scale(std::span<float> values) const;
  void test_clip(std::span<const float> values);
  void map_tones(std::span<float> values) const;
  void write_colors(std::span<const float> values, uint8_t* rgba) const;
  void write_false_color(std::span<const float> values, uint8_t* rgba) const;
  void write_diverging(std::span<const float> values, uint8_t* rgba) const;
  void write_normals(std::span<const float> values, uint8_t* rgba) const;
  void write_motion(std::span<const float> values, uint8_t* rgba) const;
  void write_overlays(std::span<const uint8_t> flags, uint8_t* rgba) const;
  float source(const float* pixel, int from) const {
    return from >= 0 ? pixel[from] : from == view_math::kOne ? 1.0f : 0.0f;
  }

  uint32_t channels_, colors_;
  bool data_, unsigned_;
  ToneMap tone_map_;
  FalseColor false_color_;
  float gamma_;
  Scale scale_;
  bool overlay_clip_;
  uint8_t wanted_flags_ = 0;
  std::array<int, 3> sources_{};
  std::shared_ptr<const CurveTable> curve_;
  std::span<const view_math::Rgb8> map_;
  std::vector<int8_t> clipped_;
};

}  // namespace seamscope
