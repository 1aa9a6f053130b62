#pragma once
// How much a difference is seen when two pictures are shown in turn.

#include <optional>

#include "preview/number_row.hpp"
#include "preview/thread_pool.hpp"

namespace seamscope {

// Mean error of LDR-FLIP (Andersson et al. 2020) at 67 pixels a degree: 0 equal, 1 as different as can be. Both images
// have one size; values outside 0..1 are clamped. Nothing for what is not shown as it is (HDR, data) and for images
// above 3840x2160.
std::optional<double> flip_of(ThreadPool& pool, const ImageView& a, const ImageView& b);

}  // namespace seamscope
