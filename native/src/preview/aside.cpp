#include "preview/aside.hpp"

#include <utility>

namespace seamscope {

Aside::~Aside() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Aside::start(std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    if (busy_) return false;
    busy_ = true;
    work_ = std::move(work);
  }
  changed_.notify_all();
  if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
  return true;
}

bool Aside::is_idle() const {
  std::lock_guard lock(mutex_);
  return !busy_;
}

void Aside::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_; });
}

void Aside::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || work_; });
    if (stop_) return;
    auto work = std::exchange(work_, nullptr);
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace seamscope
