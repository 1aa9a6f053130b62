#pragma once
// A source of frames and the views that look at it. One thread renders and runs the passes, only while a view can take
// a picture; a second one encodes and delivers, so that frame N + 1 is made while picture N is compressed. At most one
// picture a view waits between them.

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "preview/cpu_passes.hpp"
#include "preview/encode_queue.hpp"
#include "preview/number_row.hpp"
#include "preview/passes.hpp"
#include "preview/session_view.hpp"
#include "preview/view_drawer.hpp"

namespace seamscope {

class Session {
 public:
  explicit Session(std::unique_ptr<FrameSource> source);
  ~Session() { close(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::vector<OutputInfo> outputs() const { return source_->outputs(); }
  // Where frames are made and which passes look at them, in words.
  const std::string& device() const { return device_; }
  // Which passes look at them, in words.
  std::string passes() const { return passes_->name(); }
  uint64_t gpu_memory_bytes() const { return source_->gpu_memory_bytes(); }

  // All of the following are thread-safe. An unknown id does nothing: its view may just have been closed.
  // Error when the output does not exist, the id is taken, or the source has failed.
  Result<void> open_view(uint32_t id, ViewParams params, std::shared_ptr<ViewSink> sink);
  Result<void> update_view(uint32_t id, ViewParams params);
  void credit(uint32_t id, uint32_t count);
  void pause(uint32_t id, bool paused);
  // No call of the sink is running or follows when this returns. Does not wait for the frame in the making.
  void close_view(uint32_t id);

  // The full-resolution frame that the view showed last; `bytes` live as long as `frame` does.
  struct Grab {
    std::shared_ptr<const Frame> frame;
    std::span<const std::byte> bytes;
    FrameDesc desc;
    bool flip_y = false;
  };
  // Waits for the frame in the making. Error when the view has shown nothing yet, is closed, or the device is lost.
  Result<Grab> grab(uint32_t id);

  // Keeps what grab() would give, for every view of the source; waits as grab() does.
  struct Pinned {
    uint32_t reference;
    uint64_t frame, bytes;
    std::string output;
  };
  Result<Pinned> pin(uint32_t id);
  void unpin(uint32_t reference);

  struct Kept {
    std::vector<uint64_t> frames;  // oldest first
    HistoryState state;
  };
  // Of the view's output.
  Result<Kept> history(uint32_t id) const;

  // A paused view shows one more frame.
  void step(uint32_t id);

  // Writes every new frame of the view from now on; ends a recording that runs.
  Result<RecordingState> record(uint32_t id, const RecordOptions& options);
  // Waits for the frames that are still to be written.
  Result<RecordingState> stop_recording(uint32_t id);

  // Closes all views and joins the threads: waits for the frame and the picture in the making. May be called again.
  void close();

 private:
  using ViewPtr = std::shared_ptr<SessionView>;
  struct Task {
    ViewPtr view;
    ViewAction action;
    ViewParams params;
    uint32_t output;
    uint64_t dropped;
  };
  // What a call on the render thread works with.
  struct CallView {
    SessionView& view;
    ViewParams params;
    uint32_t output;
  };
  // Its argument says why it cannot be served.
  using Call = std::function<void(const Error* refused)>;
  // What a view shows: the newest frame, or one that was kept.
  struct Subject {
    std::shared_ptr<ShownFrame> shown;
    FrameDesc desc;
    uint64_t offset = 0;
    uint32_t batch = 0;
  };

  void loop();
  std::vector<Task> take_tasks(double now);
  double next_wake() const;
  bool frame_there(const SessionView& view) const;
  void fetch_pushed(std::unique_lock<std::mutex>& lock);
  void tell_source(double now);
  Result<void> perform(const std::vector<Task>& tasks);
  Result<void> show_new_frame(const std::vector<Task>& tasks);
  Result<std::shared_ptr<ShownFrame>> render(uint64_t number, const std::vector<uint32_t>& wanted);
  Result<void> make_picture(const Task& task, StageTimes times);
  Result<const FrameStats*> stats_of(const Subject& subject, uint32_t output);
  Result<void> draw(const Task& task, Subject& subject, FrameInfo& info, Picture& picture);
  Result<void> draw_swipe(const Task& task, const Subject& subject, const std::shared_ptr<ShownFrame>& reference,
                          Picture& picture);
  Result<Subject> difference(const Task& task, const Subject& subject, const ShownFrame& reference);
  Result<void> measure(const Task& task, const Subject& subject, const Subject& drawn, FrameInfo& info);
  void measure_flip(ViewFindings& findings, const ImageView& shown, const ImageView& reference);
  void keep(const std::vector<Task>& tasks);
  void fail(const Error& error);

  template <typename T>
  Result<T> on_render_thread(uint32_t id, std::function<Result<T>(const CallView&)> work);
  Result<Grab> grab_now(const CallView& call);
  Result<Subject> subject_of(SessionView& view, const ViewParams& params, uint32_t output, std::string& problem);
  std::shared_ptr<ShownFrame> reference(uint32_t id) const;
  PreviewPasses& passes_for(const Frame& frame, uint32_t output);
  CpuPasses& host_passes();
  ViewDrawer::Means drawing_means();
  bool may_upload(const OutputRef& output) const;

  ViewPtr find(uint32_t id) const;
  Result<uint32_t> output_index(const std::string& name) const;

  std::unique_ptr<FrameSource> source_;
  std::unique_ptr<PreviewPasses> passes_;   // on the device, or on the host
  std::unique_ptr<CpuPasses> host_passes_;  // for frames that were kept; nullptr until needed
  bool on_device_ = false;
  std::unique_ptr<ViewDrawer> drawer_;
  std::string device_;

  mutable std::mutex reference_mutex_;
  std::map<uint32_t, std::shared_ptr<ShownFrame>> references_;
  uint32_t last_reference_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<uint32_t, ViewPtr> views_;
  std::deque<Call> calls_;
  std::optional<Error> failed_;
  bool stop_ = false;
  uint64_t pushes_ = 0;  // calls of a pushing source's listener, the first look included

  // The render thread's own.
  uint64_t next_frame_ = 0;
  std::shared_ptr<ShownFrame> pushed_;  // the newest frame of a pushing source
  std::vector<uint32_t> told_;          // what a pushing source knows to be wanted
  double told_rate_ = 0;
  std::string told_problem_;            // of the source, as the views show it
  std::map<uint32_t, double> kept_at_;  // when an output was last kept
  std::mutex close_mutex_;
  std::unique_ptr<EncodeQueue> encoder_;
  std::thread thread_;
};

}  // namespace seamscope
