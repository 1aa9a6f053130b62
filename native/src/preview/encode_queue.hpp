#pragma once
// The thread that compresses pictures and hands them to their views, in the order in which they were made.

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "preview/encode.hpp"
#include "preview/session_view.hpp"

namespace seamscope {

struct EncodeJob {
  std::shared_ptr<SessionView> view;
  Picture picture;
  FrameInfo info;
  EncodeOptions options;
};

class EncodeQueue {
 public:
  // `picked_up` is called on the queue's thread when it starts on a job, so that the view's next picture may be made.
  explicit EncodeQueue(std::function<void(SessionView&)> picked_up);
  // Drops what still waits; waits for the picture in the making.
  ~EncodeQueue();
  EncodeQueue(const EncodeQueue&) = delete;
  EncodeQueue& operator=(const EncodeQueue&) = delete;

  void push(EncodeJob job);
  // A picture whose storage has been used before, when there is one: fresh pages cost more than drawing into them.
  Picture spare_picture();

 private:
  void loop();
  void deliver(EncodeJob& job);
  void keep(Picture picture);

  std::function<void(SessionView&)> picked_up_;
  Encoder encoder_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<EncodeJob> jobs_;
  std::vector<Picture> spare_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace seamscope
