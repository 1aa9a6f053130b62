#pragma once
// Frames whose first channel is blue become ones whose first channel is red, so that nothing behind the hub needs to
// know of the order.

#include <cstddef>
#include <span>

#include "preview/frame.hpp"

namespace seamscope::frames {

// Whether the channels can be swapped in place: three or more, none of their bytes shared.
bool can_swap_bgr(const FrameDesc& desc);

// Swaps the first and the third channel of every texel. `bytes` reaches what the description does.
void swap_bgr(std::span<std::byte> bytes, const FrameDesc& desc);

}  // namespace seamscope::frames
