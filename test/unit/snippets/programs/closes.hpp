#pragma once
// Counts every close() of this process, the drivers' too, by standing in front of libc's: a second close of the same
// descriptor is silent otherwise, until it hits somebody else's file.

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

inline std::atomic<int> closed_twice{0};

extern "C" int close(int fd) {
  const long result = syscall(SYS_close, fd);
  if (result == 0) return 0;
  if (errno == EBADF) ++closed_twice;
  return -1;
}

inline bool is_open(int fd) {
  return fcntl(fd, F_GETFD) != -1;
}
inline int open_null() {
  return open("/dev/null", O_RDONLY);
}
