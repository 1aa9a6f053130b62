#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>

// snippet: begin seam-fd-growth | Fail when the fd table grows over frames: the signature of a leaked export
// snippet: placeholders expect_no_fd_growth
inline std::ptrdiff_t open_fd_count() {
  const std::filesystem::directory_iterator fds("/proc/self/fd");
  return std::distance(begin(fds), end(fds));
}

// Runs `frame` once to warm up (drivers open files lazily), then `frames` times more.
template <typename Frame>
void expect_no_fd_growth(int frames, Frame&& frame) {
  frame();
  const std::ptrdiff_t before = open_fd_count();
  for (int i = 0; i < frames; ++i) frame();
  const std::ptrdiff_t growth = open_fd_count() - before;
  if (growth <= 0) return;
  throw std::runtime_error(std::to_string(growth) + " fds leaked over " + std::to_string(frames) +
      " frames: an export is neither imported nor closed");
}
// snippet: end
