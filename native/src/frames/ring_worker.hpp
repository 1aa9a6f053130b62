#pragma once
// Opens rings in GPU memory away from the hub's thread: a driver may take long to start, or never answer.

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "frames/gpu_ring.hpp"

namespace seamscope::frames {

class RingWorker {
 public:
  RingWorker(std::shared_ptr<ImportDevices> devices, FrameMemory memory)
      : devices_(std::move(devices)), memory_(std::move(memory)) {}
  // Waits for the ring that is being opened.
  ~RingWorker();
  RingWorker(const RingWorker&) = delete;
  RingWorker& operator=(const RingWorker&) = delete;

  // `done` runs on the worker's thread, unless the worker ends before.
  void open(RingOffer offer, std::function<void(OpenedRing)> done);

 private:
  struct Job {
    RingOffer offer;
    std::function<void(OpenedRing)> done;
  };
  void run();

  std::shared_ptr<ImportDevices> devices_;
  FrameMemory memory_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool stop_ = false;
  std::thread thread_;  // started with the first job
};

}  // namespace seamscope::frames
