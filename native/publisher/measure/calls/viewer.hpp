#pragma once
// The publisher itself with a viewer, who looks from a thread of their own as an engine does.

#include <atomic>
#include <string>
#include <thread>

#include "publisher_session.hpp"

namespace seamscope::measure {

class Viewer {
 public:
  Viewer() : hub_({SEAMSCOPE_PATH_HOST | SEAMSCOPE_PATH_DEVICE, true}), session_(hub_.path()) {
    const auto output = test::watch(hub_, kName);
    if (output) thread_ = std::thread([this, output = *output] { look(output); });
  }
  ~Viewer() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;
  bool is_there() const { return thread_.joinable(); }

  static constexpr const char* kName = "frame";

 private:
  void look(uint32_t output) {
    while (!stop_) {
      hub_.pump(1);
      if (const auto frame = hub_.begin_read(output)) hub_.end_read(output, *frame);
    }
  }

  test::TestHub hub_;
  test::PublisherSession session_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace seamscope::measure
