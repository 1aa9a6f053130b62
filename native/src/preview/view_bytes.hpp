#pragma once
// The view pass for 8-bit colour frames that are not minified: every picture byte is a table entry of one stored byte,
// or the stored byte itself. The result equals that of the general path.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "preview/axis_taps.hpp"
#include "preview/frame.hpp"

namespace seamscope {

class ByteView {
 public:
  // Nothing when the parameters need the general path.
  static std::optional<ByteView> create(const FrameDesc& desc, const ViewParams& params,
                                        const std::vector<AxisTap>& columns, const std::vector<AxisTap>& rows);

  void row(const std::byte* frame_row, uint8_t* rgba) const;

 private:
  ByteView(const FrameDesc& desc, const std::vector<AxisTap>& columns) : desc_(desc), columns_(columns) {}
  void copy(const std::byte* from, uint8_t* rgba) const;

  FrameDesc desc_;
  const std::vector<AxisTap>& columns_;
  std::array<uint8_t, 256> codes_{};
  std::array<uint32_t, 3> channels_{};
  bool copies_ = false;         // RGBA bytes in order, unchanged and 1:1
  size_t begin_ = 0, end_ = 0;  // covered picture columns
};

}  // namespace seamscope
