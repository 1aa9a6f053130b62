#pragma once
// The push constants of shaders/view.comp.

#include "preview/frame.hpp"

namespace seamscope {

struct ViewPush {
  uint32_t base[4] = {};
  uint32_t row_stride = 0, pixel_stride = 0;
  int32_t row_origin = 0, row_sign = 1;
  uint32_t width = 0, height = 0, first_row = 0, rows = 0;
  uint32_t channels = 0, colors = 0, options = 0, flags = 0;
  int32_t sources[4] = {};
  float scale = 1, offset = 0, inv_gamma = 1;
  uint32_t false_color = 0;
};
static_assert(sizeof(ViewPush) == 96);

// All but base, row_origin, row_sign, first_row and rows, which belong to a band.
ViewPush view_push(const FrameDesc& desc, const ViewParams& params, const FrameStats& stats);

}  // namespace seamscope
