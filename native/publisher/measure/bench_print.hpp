#pragma once
// Times and lines of the benchmark.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

namespace seamscope::bench {

inline double microseconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
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
