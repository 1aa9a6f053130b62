#include "preview/encode_queue.hpp"

#include <new>

#include "base/clock.hpp"

namespace seamscope {
namespace {
constexpr size_t kSparePictures = 3;
}

EncodeQueue::EncodeQueue(std::function<void(SessionView&)> picked_up)
    : picked_up_(std::move(picked_up)), thread_([this] { loop(); }) {}

EncodeQueue::~EncodeQueue() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void EncodeQueue::push(EncodeJob job) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
}

Picture EncodeQueue::spare_picture() {
  std::lock_guard lock(mutex_);
  if (spare_.empty()) return {};
  Picture picture = std::move(spare_.back());
  spare_.pop_back();
  return picture;
}

void EncodeQueue::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
    if (stop_) return;
    EncodeJob job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    picked_up_(*job.view);
    deliver(job);
    keep(std::move(job.picture));
    lock.lock();
  }
}

void EncodeQueue::deliver(EncodeJob& job) {
  const double start = now_ms();
  Result<std::vector<uint8_t>> bytes =
      Error{"There is not enough memory to encode the picture.", "Make the panel smaller or close other programs.", {}};
  try {
    bytes = encoder_.encode(job.picture, job.options);
  } catch (const std::bad_alloc&) {
    // `bytes` says it already.
  }
  job.info.times.encode = now_ms() - start;
  job.view->door.pass([&](ViewSink& sink) {
    if (bytes)
      sink.on_picture(job.info, *std::move(bytes));
    else
      sink.on_failed(bytes.error());
  });
  if (!bytes) job.view->door.close();
}

void EncodeQueue::keep(Picture picture) {
  std::lock_guard lock(mutex_);
  if (!picture.rgba.empty() && spare_.size() < kSparePictures) spare_.push_back(std::move(picture));
}

}  // namespace seamscope
