#pragma once
// The CUDA ordinals of this process. Calls cuInit, creates no context. CUDA enumerates once a process, so this is asked
// once only.

#include "devices/types.hpp"

namespace seamscope {

struct CudaInventory {
  CudaFacts facts;
  LibraryReport library;
};

CudaInventory read_cuda(const EnvironmentFacts& environment);

}  // namespace seamscope
