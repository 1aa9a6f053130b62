#pragma once
// The process's file descriptors as the kernel lists them.

#include <cstddef>

namespace seamscope::interop {

// Entries of /proc/self/fd without the one that lists them.
size_t open_fd_count();

}  // namespace seamscope::interop
