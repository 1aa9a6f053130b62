#pragma once

#include <cstdlib>

// snippet: begin seam-max-connections | CUDA_DEVICE_MAX_CONNECTIONS=1 against stalled Vulkan work (Linux)
// snippet: placeholders apply_scheduling_workaround
// On Linux, stream waits that are pending while Vulkan submits can stall Vulkan work. One hardware
// queue avoids that, at the cost of concurrency between streams. Windows is not affected.
// CUDA reads the variable once, at its first use: call this first thing in main(), before any
// CUDA call, any renderer and any thread (setenv is not thread-safe).
inline void apply_scheduling_workaround() {
#ifdef __linux__
  constexpr int keep_the_users_choice = 0;  // do not overwrite
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", keep_the_users_choice);
#endif
}
// snippet: end
