#pragma once
// The engine's monotonic clock, in milliseconds. The same clock as Node's process.hrtime().

#include <chrono>

namespace seamscope {

inline double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace seamscope
