#include "preview/thread_pool.hpp"

#include <algorithm>

namespace seamscope {

ThreadPool::ThreadPool(unsigned threads) {
  if (threads == 0) threads = std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
  for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::run(uint32_t count, Call call, void* context) {
  if (count < 2 || workers_.empty()) {
    for (uint32_t i = 0; i < count; ++i) call(context, i);
    return;
  }
  {
    std::lock_guard lock(mutex_);
    call_ = call;
    context_ = context;
    count_ = count;
    next_ = 0;
    open_ = true;
  }
  start_.notify_all();
  drain();
  std::unique_lock lock(mutex_);
  open_ = false;  // workers that have not woken yet are not waited for
  done_.wait(lock, [this] { return busy_ == 0; });
}

void ThreadPool::drain() {
  for (uint32_t i = next_++; i < count_; i = next_++) call_(context_, i);
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    start_.wait(lock, [this] { return stop_ || (open_ && next_ < count_); });
    if (stop_) return;
    ++busy_;
    lock.unlock();
    drain();
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace seamscope
