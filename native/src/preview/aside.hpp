#pragma once
// One thread that does one piece of work at a time for somebody who does not wait for it.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace seamscope {

class Aside {
 public:
  Aside() = default;
  // Waits for the work that runs.
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  // False, and nothing happens, while earlier work runs. To be called by one thread. `work` and what it holds are gone
  // once is_idle().
  bool start(std::function<void()> work);
  bool is_idle() const;
  void wait() const;

 private:
  void loop();

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::function<void()> work_;
  bool busy_ = false, stop_ = false;
  std::thread thread_;  // from the first work on
};

}  // namespace seamscope
