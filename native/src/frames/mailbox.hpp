#pragma once
// Work for the hub's thread from any other one. Outlives the hub: what comes later is not done.

#include <sys/eventfd.h>
#include <unistd.h>

#include <functional>
#include <mutex>
#include <vector>

#include "base/unique_fd.hpp"

namespace seamscope::frames {

class Mailbox {
 public:
  Mailbox() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  // Readable while there is work.
  int fd() const { return event_.get(); }

  void post(std::function<void()> work) {
    {
      std::lock_guard lock(mutex_);
      if (closed_) return;
      work_.push_back(std::move(work));
    }
    wake();
  }
  void wake() {
    const uint64_t one = 1;
    static_cast<void>(!::write(event_.get(), &one, sizeof one));
  }

  void run() {
    uint64_t count = 0;
    static_cast<void>(!::read(event_.get(), &count, sizeof count));
    std::vector<std::function<void()>> work;
    {
      std::lock_guard lock(mutex_);
      work.swap(work_);
    }
    for (const auto& one : work) one();
  }

  void close() {
    std::vector<std::function<void()>> rest;
    std::lock_guard lock(mutex_);
    closed_ = true;
    rest.swap(work_);
  }

 private:
  UniqueFd event_;
  std::mutex mutex_;
  std::vector<std::function<void()>> work_;
  bool closed_ = false;
};

}  // namespace seamscope::frames
