#pragma once
// Times and lines of the benchmark.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

namespace seamscope::bench {

inline double thread_microseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

// CPU time of this thread.
inline double microseconds(const std::function<void()>& work) {
  const double begin = thread_microseconds();
  work();
  return thread_microseconds() - begin;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

inline void print(const char* metric, double value, const char* unit, const char* note) {
  std::printf(R"({"metric":"%s","value":%.3f,"unit":"%s","note":"%s"})"
              "\n",
              metric, value, unit, note);
}

}  // namespace seamscope::bench
