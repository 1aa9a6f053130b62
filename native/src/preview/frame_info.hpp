#pragma once
// What travels with every picture: the C++ side of FrameInfo in helper/protocol/frames.ts. Times are milliseconds.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "preview/frame.hpp"

namespace seamscope {

struct StageTimes {
  double render = 0, ingest = 0, view = 0, encode = 0;
};

struct FrameInfo {
  uint32_t view_id = 0;
  uint64_t sequence = 0;  // counts pictures of the view from 1
  uint64_t frame = 0;     // the producer's number
  std::string output;
  uint32_t width = 0, height = 0;
  Encoding encoding = Encoding::Jpeg;
  bool lossless = false;
  uint32_t frame_width = 0, frame_height = 0;
  FrameStats stats;
  double produced_at = 0;  // monotonic clock
  StageTimes times;
  uint64_t dropped = 0;                         // since the view was opened
  double x = 0, y = 0, rect_w = 0, rect_h = 0;  // the texels that the picture shows
};

// Receives what a view produces. Called from the session's threads, never after Session::close_view has returned.
class ViewSink {
 public:
  virtual ~ViewSink() = default;
  virtual void on_picture(const FrameInfo& info, std::vector<uint8_t> bytes) = 0;
  // At most once; nothing follows it.
  virtual void on_failed(const Error& error) = 0;
};

}  // namespace seamscope
