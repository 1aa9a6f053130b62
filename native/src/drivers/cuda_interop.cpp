#include "drivers/cuda_interop.hpp"

namespace seamscope::cuda {

Result<InteropApi> load_interop(const Api& api) {
  InteropApi table;
  const char* missing = nullptr;
#define SEAMSCOPE_LOAD(name, symbol, parameters) \
  if (!api.library.load(symbol, table.name) && !missing) missing = symbol;
  SEAMSCOPE_CUDA_INTEROP(SEAMSCOPE_LOAD)
#undef SEAMSCOPE_LOAD
  if (!missing) return table;
  return Error{api.library.path() + " has no " + missing + ".",
               "Install an NVIDIA driver of CUDA 11.2 or newer: sharing timeline semaphores needs it.", ""};
}

}  // namespace seamscope::cuda
