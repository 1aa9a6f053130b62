#pragma once
// What is measured around the frames of a run: time, the driver calls that count, file descriptors.

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "interop/driver_tap.hpp"

namespace seamscope::seamtest {

struct Measurement {
  double microseconds = 0;  // from the first measured frame to the end of the last one's work
  interop::CallCounts calls;
  int64_t fd_growth = 0;
  uint64_t frames_wrong = 0;

  // Both processes together; the time is the consumer's.
  void add(const Measurement& other);
};

nlohmann::json to_json(const Measurement& measurement);
Measurement measurement_from_json(const nlohmann::json& json);

class Window {
 public:
  void open();
  Measurement close() const;

 private:
  std::chrono::steady_clock::time_point start_;
  interop::CallCounts calls_;
  int64_t fds_ = 0;
};

// Frames whose count of matching words is not `words`.
uint64_t count_wrong(const std::vector<uint32_t>& matches, uint32_t words);

// 0 to 100, by nearest rank; 0 of nothing.
double percentile(std::vector<double> values, double percent);

}  // namespace seamscope::seamtest
