#include "frames/ring_worker.hpp"

namespace seamscope::frames {

RingWorker::~RingWorker() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void RingWorker::open(RingOffer offer, std::function<void(OpenedRing)> done) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back({std::move(offer), std::move(done)});
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  wake_.notify_one();
}

void RingWorker::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
    if (stop_) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    OpenedRing opened = open_gpu_ring(std::move(job.offer), *devices_, memory_);
    job.done(std::move(opened));
    lock.lock();
  }
}

}  // namespace seamscope::frames
