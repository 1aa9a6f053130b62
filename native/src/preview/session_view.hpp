#pragma once
// What a session knows about one view and about the frame it shows.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "preview/frame_info.hpp"
#include "preview/frame_source.hpp"
#include "preview/recorder.hpp"
#include "preview/view_schedule.hpp"

namespace seamscope {

// A frame with what has been found out about it. Used by the render thread only.
struct ShownFrame {
  std::shared_ptr<const Frame> frame;
  double produced_at = 0, render_ms = 0;
  std::map<std::pair<uint32_t, uint32_t>, FrameStats> stats;  // by output and image of the batch
};

// What was worked out about the frame that a view shows. Used by the render thread only.
struct ViewFindings {
  std::shared_ptr<ShownFrame> recalled;  // the kept frame that is shown
  std::shared_ptr<ShownFrame> difference;
  std::shared_ptr<const Frame> difference_of, difference_to;
  uint32_t difference_batch = 0;
  bool difference_signed = false;
  std::shared_ptr<const Histogram> histogram;
  std::optional<Metrics> metrics;
  double histogram_due = 0, metrics_due = 0, flip_due = 0;
  FrameDesc desc;  // of the picture before
  std::string output;
  uint64_t generation = 0;
};

// The way to a view's sink, until it is closed.
class SinkDoor {
 public:
  explicit SinkDoor(std::shared_ptr<ViewSink> sink) : sink_(std::move(sink)) {}

  // Calls use(sink) unless the door is closed.
  template <typename Use>
  void pass(Use&& use) {
    std::lock_guard lock(mutex_);
    if (sink_) use(*sink_);
  }

  // When this returns, nobody is inside and nobody will come.
  void close() {
    std::shared_ptr<ViewSink> last;
    std::lock_guard lock(mutex_);
    last.swap(sink_);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<ViewSink> sink_;
};

struct SessionView {
  SessionView(uint32_t view_id, ViewParams view_params, uint32_t output_index, std::shared_ptr<ViewSink> sink)
      : id(view_id),
        params(std::move(view_params)),
        output(output_index),
        schedule(params.max_rate),
        door(std::move(sink)) {}

  const uint32_t id;
  // Guarded by the session's mutex.
  ViewParams params;
  bool paused = false;  // by its viewer; a view of a kept frame stands still as well
  uint32_t output;
  ViewSchedule schedule;
  // The render thread's own.
  std::shared_ptr<ShownFrame> shown;
  uint64_t seen = 0;  // how many calls of a pushing source's listener have been answered by a look at its newest frame
  uint64_t sequence = 0;
  ViewFindings findings;
  std::shared_ptr<Recorder> recorder;

  SinkDoor door;
};

}  // namespace seamscope
