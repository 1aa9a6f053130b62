#pragma once
// What a publisher says a frame is, checked against the slot that holds it.

#include "base/result.hpp"
#include "frames/wire.hpp"
#include "preview/frame.hpp"

namespace seamscope::frames {

struct CheckedFrame {
  FrameDesc desc;
  uint64_t offset = 0;  // of the first byte in the slot
  uint64_t bytes = 0;   // from there to behind the last one that the description reaches, all images of a batch
  bool is_bgr = false;  // the first channel is blue
};

// Every byte that the description reaches lies in [0, slot_bytes); the error says what does not fit.
Result<CheckedFrame> check_desc(const seamscope_frame_desc& desc, uint64_t slot_bytes);

// The part of it that is shown before a frame has come: unknown numbers become their defaults.
FrameDesc announced_desc(const seamscope_frame_desc& desc);

}  // namespace seamscope::frames
