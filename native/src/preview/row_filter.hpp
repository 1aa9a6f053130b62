#pragma once
// Step 5 of view_math.hpp: the weighted mean of the texels under each pixel of one picture row.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "preview/axis_taps.hpp"
#include "preview/row_decode.hpp"

namespace seamscope {

// The columns of a picture and the span of texels they reach.
struct Columns {
  std::vector<AxisTap> taps;
  uint32_t first = 0, count = 0;  // texels; count 0: nothing of the frame is visible
  bool single = true;             // every tap covers at most one texel
};
Columns columns_of(std::vector<AxisTap> taps);

// Scratch of one thread. `pixels` and `flags` are the result of row(): channels() floats and one byte a picture column.
class RowFilter {
 public:
  // `flagged`: the frame may hold NaN, Inf or negatives that matter; without it they are not looked for.
  RowFilter(const RowDecoder& decoder, const Columns& columns, bool flagged);

  void row(const std::byte* frame, const AxisTap& rows);

  std::span<float> pixels() { return pixels_; }  // scratch of the caller until the next row
  std::span<const uint8_t> flags() const { return flags_; }

 private:
  bool mean_bytes(const std::byte* frame, const AxisTap& rows);
  void sum_rows(const std::byte* frame, const AxisTap& rows);
  void decode(const std::byte* frame, uint32_t y, std::span<float> out);
  void add_row(const std::byte* frame, uint32_t y, float weight);
  void sum_columns(float row_weight);
  void gather_columns();

  const RowDecoder& decoder_;
  const Columns& columns_;
  bool flagged_;
  std::vector<float> sums_, texels_, pixels_;
  std::vector<uint8_t> texel_flags_, flags_;
  std::vector<const uint8_t*> rows_;
};

}  // namespace seamscope
