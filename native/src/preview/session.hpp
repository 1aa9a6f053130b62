#pragma once
// A source of frames and the views that look at it. One thread renders and runs the passes, only while a view can take
// a picture; a second one encodes and delivers, so that frame N + 1 is made while picture N is compressed. At most one
// picture a view waits between them.

#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "preview/encode_queue.hpp"
#include "preview/passes.hpp"
#include "preview/session_view.hpp"

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
  struct GrabRequest {
    ViewPtr view;
    uint32_t output;
    bool flip_y;
    std::promise<Result<Grab>> answer;
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
  Result<Grab> serve(const GrabRequest& request);
  void fail(const Error& error);

  ViewPtr find(uint32_t id) const;
  Result<uint32_t> output_index(const std::string& name) const;

  std::unique_ptr<FrameSource> source_;
  std::unique_ptr<PreviewPasses> passes_;
  std::string device_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<uint32_t, ViewPtr> views_;
  std::deque<GrabRequest> grabs_;
  std::optional<Error> failed_;
  bool stop_ = false;
  uint64_t pushes_ = 0;  // calls of a pushing source's listener, the first look included

  // The render thread's own.
  uint64_t next_frame_ = 0;
  std::shared_ptr<ShownFrame> pushed_;  // the newest frame of a pushing source
  std::vector<uint32_t> told_;          // what a pushing source knows to be wanted
  double told_rate_ = 0;
  std::mutex close_mutex_;
  std::unique_ptr<EncodeQueue> encoder_;
  std::thread thread_;
};

}  // namespace seamscope
