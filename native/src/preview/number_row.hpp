#pragma once
// The stored numbers of one displayed row, and the structural similarity that is computed from such rows.

#include <cstddef>
#include <span>
#include <vector>

#include "preview/frame.hpp"
#include "preview/thread_pool.hpp"

namespace seamscope {

// The first stat_channels(desc) channels of displayed row `y`, interleaved; `out` holds that many a texel.
void read_numbers(const std::byte* bytes, const FrameDesc& desc, uint32_t y, std::span<double> out);

struct ImageView {
  const std::byte* bytes;
  const FrameDesc* desc;
};

// Mean SSIM (Wang 2004) of two images of one size. `peak` is the dynamic range.
double ssim_of(ThreadPool& pool, const ImageView& a, const ImageView& b, double peak);

}  // namespace seamscope
