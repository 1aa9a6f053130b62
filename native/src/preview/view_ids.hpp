#pragma once
// The view pass for pictures of identifiers and labels: the palette colour of the texel in the middle of each pixel.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "preview/axis_taps.hpp"
#include "preview/frame.hpp"

namespace seamscope {

// `row` points at the first texel of a row in memory and `channel` says which channel holds the identifier.
void view_ids(const FrameDesc& desc, uint32_t channel, bool labels, const std::byte* row,
              const std::vector<AxisTap>& columns, uint8_t* rgba);

// The key that picks the colour of a stored identifier; other than integer dtypes are rounded towards zero first (NaN
// is 0).
uint32_t id_key_at(Dtype dtype, uint32_t channel, const std::byte* at);

}  // namespace seamscope
