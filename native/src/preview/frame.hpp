#pragma once
// What a frame is and how it is looked at: the C++ side of helper/protocol/frames.ts. Plain data; both the Vulkan and
// the threaded C++ passes take exactly these.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace seamscope {

enum class Dtype : uint32_t { Bool, U8, I8, U16, I16, U32, I32, I64, F16, BF16, F32, F64, R11G11B10F, RGB10A2, D24S8 };
enum class OutputKind : uint32_t { Color, Hdr, Depth, Id, Normal, Motion, Tensor };
enum class ColorSpace : uint32_t { Srgb, Linear, Data };

// Describes bytes in memory; strides are in bytes, so HWC, CHW and padded rows are all the same thing.
struct FrameDesc {
  uint32_t width = 0, height = 0, channels = 0;
  Dtype dtype = Dtype::U8;
  OutputKind kind = OutputKind::Color;
  ColorSpace color_space = ColorSpace::Srgb;
  uint64_t row_stride = 0, pixel_stride = 0, channel_stride = 0;
  bool bottom_up = false;
  // Images of a batch (NCHW); what is above describes the first of them.
  uint32_t batches = 1;
  uint64_t batch_stride = 0;
};

// Full-resolution counts and extremes over all colour channels; min and max ignore NaN and Inf (0, 0 when nothing is
// finite).
struct FrameStats {
  double min = 0, max = 0;
  uint64_t nan = 0, inf = 0, negative = 0;
};

enum class ToneMap : uint32_t { None, Reinhard, Aces };
enum class FalseColor : uint32_t { None, Gray, Turbo, Viridis, Ids, Labels, Bool, Normal, Motion, Diverging };
enum class CompareMode : uint32_t { Off, Difference, Swipe };
enum class Encoding : uint32_t { Jpeg, Rgba, Png };

struct ViewParams {
  std::string output;
  uint32_t width = 1, height = 1;               // the picture, in device pixels
  double x = 0, y = 0, rect_w = 1, rect_h = 1;  // visible rectangle in texels; outside the frame is transparent black
  float exposure = 0, gamma = 1;
  ToneMap tone_map = ToneMap::None;
  FalseColor false_color = FalseColor::None;
  std::optional<std::array<double, 2>> range;  // nothing = the frame's own min and max
  uint32_t channel_mask = 0xF;
  bool flip_y = false, swap_rb = false, overlay_nan = true, overlay_clip = false;
  bool overlay_inf = true, overlay_negative = true;
  uint32_t batch = 0;  // clamped to what the frame has
  CompareMode compare = CompareMode::Off;
  uint32_t reference = 0;           // as Session::pin returned it; 0 = none
  double split = 0.5;               // share of the picture's width
  bool difference_signed = false;   // shown - reference rather than its magnitude
  std::optional<uint64_t> history;  // the producer's number of a kept frame; nothing = live
  bool want_histogram = false, want_metrics = false;
  Encoding encoding = Encoding::Jpeg;
  int jpeg_quality = 80;
  double max_rate = 60;
};

// Pictures of identifiers: each number has a colour of its own and no two are ever averaged.
inline bool shows_ids(const ViewParams& params) {
  return params.false_color == FalseColor::Ids || params.false_color == FalseColor::Labels;
}

// A rendered picture: tightly packed RGBA8, sRGB-encoded, width*height*4 bytes.
struct Picture {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> rgba;
};

}  // namespace seamscope
