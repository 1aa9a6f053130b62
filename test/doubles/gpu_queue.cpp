#include "gpu_queue.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

namespace doubles {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::milliseconds read_delay() {
  const char* path = std::getenv("SEAMSCOPE_DOUBLES");
  if (!path) return {};
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  return std::chrono::milliseconds(json.is_object() ? json.value("gpuDelayMs", 0) : 0);
}

class Queue {
 public:
  void put(std::function<void()> work, std::chrono::milliseconds delay) {
    const std::lock_guard lock(mutex_);
    if (!started_) std::thread([this] { run(); }).detach();
    started_ = true;
    work_.push_back({Clock::now() + delay, std::move(work)});
    changed_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return work_.empty() && !busy_; });
  }

 private:
  struct Entry {
    Clock::time_point due;
    std::function<void()> work;
  };

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !work_.empty(); });
      const Entry next = std::move(work_.front());
      work_.pop_front();
      busy_ = true;
      lock.unlock();
      std::this_thread::sleep_until(next.due);
      next.work();
      lock.lock();
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> work_;
  bool started_ = false, busy_ = false;
};

std::chrono::milliseconds delay() {
  static const auto read = read_delay();
  return read;
}

// Never destroyed: its thread may run until the process has ended.
Queue& queue() {
  static auto* const made = new Queue;
  return *made;
}

}  // namespace

void put_on_gpu(std::function<void()> work) {
  if (delay().count() == 0) return work();
  queue().put(std::move(work), delay());
}

void put_on_driver_thread(std::function<void()> work) {
  queue().put(std::move(work), {});
}

void wait_for_gpu() {
  queue().wait();
}

}  // namespace doubles
