#pragma once
// A fixed set of worker threads for loops over rows. The calling thread works too, so a pool of one thread has no
// workers at all.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace seamscope {

class ThreadPool {
 public:
  // `threads` counts the caller; 0 = one a core, at most 16: the passes are bound by memory beyond that.
  explicit ThreadPool(unsigned threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }

  // Calls body(i) for every i in [0, count), each exactly once, in any order and on any thread; returns when all have
  // returned. `body` must not throw. To be called by one thread at a time.
  template <typename Body>
  void parallel_for(uint32_t count, Body&& body) {
    run(
        count, [](void* context, uint32_t i) { (*static_cast<std::remove_reference_t<Body>*>(context))(i); }, &body);
  }

 private:
  using Call = void (*)(void*, uint32_t);
  void run(uint32_t count, Call call, void* context);
  void work();
  void drain();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  unsigned busy_ = 0;
  bool open_ = false;  // a loop is running that workers may still join
  bool stop_ = false;
  Call call_ = nullptr;
  void* context_ = nullptr;
  uint32_t count_ = 0;
  std::atomic<uint32_t> next_{0};
};

// Splits `rows` into bands for parallel_for: enough for balance, few enough to keep the hand-over cheap.
inline uint32_t band_rows(uint32_t rows, unsigned threads) {
  const uint32_t bands = threads * 4;
  return rows < bands ? 1 : (rows + bands - 1) / bands;
}

}  // namespace seamscope
