#pragma once
// What travels with every picture: the C++ side of FrameInfo in helper/protocol/frames.ts. Times are milliseconds.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "preview/frame.hpp"
#include "preview/view_choice.hpp"

namespace seamscope {

struct StageTimes {
  double render = 0, ingest = 0, view = 0, encode = 0, handoff = 0;
};

// Who drew a picture, what it took, and what the other pass takes where that was measured lately.
struct Drawn {
  ViewPass pass = ViewPass::Host;
  double ms = 0;
  std::optional<double> other_ms;
};

// Finite values over the measured channels; `below` and `above` lie outside [low, high].
struct Histogram {
  static constexpr uint32_t kBins = 256;
  double low = 0, high = 0, mean = 0;
  uint64_t below = 0, above = 0, frame = 0;
  std::array<uint64_t, kBins> counts{};
};

// Of a frame against a reference. psnr: nothing = equal. flip: nothing = not measured.
struct Metrics {
  uint32_t reference = 0;
  uint64_t frame = 0;
  double mae = 0, ssim = 0;
  std::optional<double> psnr, flip;
};

// Frames kept in host memory; bytes and budget are those of all sources.
struct HistoryState {
  uint64_t frames = 0, oldest = 0, newest = 0, bytes = 0, budget = 0;
};

struct RecordingState {
  std::string folder;
  uint64_t written = 0, dropped = 0, bytes = 0;
  bool running = false;
  std::optional<Error> problem;
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
  Drawn drawn;
  uint64_t dropped = 0;                         // since the view was opened
  double x = 0, y = 0, rect_w = 0, rect_h = 0;  // the texels that the picture shows
  uint64_t skipped = 0, generation = 0;
  FrameDesc desc;  // of the shown frame
  std::shared_ptr<const Histogram> histogram;
  std::optional<Metrics> metrics;
  HistoryState history;
  std::optional<RecordingState> recording;
  std::string problem;  // why a comparison or a kept frame is not shown
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
