#pragma once
// Two frames of the same shape against each other, in threaded C++.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "preview/frame_info.hpp"
#include "preview/number_row.hpp"
#include "preview/thread_pool.hpp"

namespace seamscope {

// Why two frames cannot be compared value by value, one sentence; empty when they can. Their dtypes may differ.
std::string why_not_comparable(const FrameDesc& a, const FrameDesc& b);

// |a - b|, or a - b, of the measured channels; 0 where both hold the same bits, NaN where only one side has a number.
struct Difference {
  FrameDesc desc;  // dense f32, kind tensor, data
  std::vector<std::byte> bytes;
};
Difference difference_of(ThreadPool& pool, const ImageView& a, const ImageView& b, bool is_signed);

// `reference` and `frame` of the result are left to the caller. SSIM of the luminance (of the first channel where there
// are fewer than three) over a Gaussian window of 11 texels, sigma 1.5, edges repeated.
Metrics metrics_of(ThreadPool& pool, const ImageView& shown, const ImageView& reference);

}  // namespace seamscope
