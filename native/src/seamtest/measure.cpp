#include "seamtest/measure.hpp"

#include <algorithm>
#include <cmath>

#include "interop/fd_table.hpp"

namespace seamscope::seamtest {

void Measurement::add(const Measurement& other) {
  for (size_t i = 0; i < interop::kCallKinds; ++i) calls.calls[i] += other.calls.calls[i];
  fd_growth += other.fd_growth;
  frames_wrong += other.frames_wrong;
}

nlohmann::json to_json(const Measurement& measurement) {
  return {{"microseconds", measurement.microseconds},
          {"calls", measurement.calls.calls},
          {"fdGrowth", measurement.fd_growth},
          {"framesWrong", measurement.frames_wrong}};
}

Measurement measurement_from_json(const nlohmann::json& json) {
  Measurement measurement;
  measurement.microseconds = json.value("microseconds", 0.0);
  measurement.calls.calls = json.value("calls", measurement.calls.calls);
  measurement.fd_growth = json.value("fdGrowth", int64_t{0});
  measurement.frames_wrong = json.value("framesWrong", uint64_t{0});
  return measurement;
}

void Window::open() {
  fds_ = static_cast<int64_t>(interop::open_fd_count());
  calls_ = interop::DriverTap::process().counts();
  start_ = std::chrono::steady_clock::now();
}

Measurement Window::close() const {
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start_;
  Measurement measurement;
  measurement.microseconds = took.count();
  measurement.calls = interop::DriverTap::process().counts().since(calls_);
  measurement.fd_growth = static_cast<int64_t>(interop::open_fd_count()) - fds_;
  return measurement;
}

uint64_t count_wrong(const std::vector<uint32_t>& matches, uint32_t words) {
  return static_cast<uint64_t>(
      std::count_if(matches.begin(), matches.end(), [words](uint32_t count) { return count != words; }));
}

double percentile(std::vector<double> values, double percent) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<size_t>(std::ceil(percent / 100 * static_cast<double>(values.size())));
  return values[std::clamp<size_t>(rank, 1, values.size()) - 1];
}

}  // namespace seamscope::seamtest
