#pragma once

#include <cuda.h>

#include <stdexcept>
#include <string>

// snippet: begin seam-check-cu | Throw on a failed CUDA driver API call, with the error's name
inline void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS) name = "unknown error";
  throw std::runtime_error(std::string(what) + " failed: " + name);
}
// snippet: end
