#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

// snippet: begin seam-check-cudart | Throw on a failed CUDA runtime API call, with the error's name
inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + " failed: " + cudaGetErrorName(result));
}
// snippet: end
