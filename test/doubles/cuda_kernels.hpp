#pragma once
// The seam test's kernels run by the host, and the array that a surface looks into.

#include <cstddef>

namespace doubles {

struct Array {
  unsigned* words;  // one a pixel
  size_t width, height;
};

struct Kernel {
  const char* name;
  void (*run)(void** parameters);
};

// Nullptr when there is no kernel of that name.
const Kernel* find_kernel(const char* name);

}  // namespace doubles
