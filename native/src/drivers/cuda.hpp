#pragma once
// The part of the CUDA driver API that looks at devices without creating a context. Own declarations, so that no
// toolkit is needed to build; the numbers are CUDA's binary interface.

#include <string>

#include "base/dynamic_library.hpp"
#include "base/result.hpp"

namespace seamscope::cuda {

using CUresult = int;
using CUdevice = int;
struct CUuuid {
  char bytes[16];
};

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_MPS_CONNECTION_FAILED = 805,
  CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
  CUDA_ERROR_UNKNOWN = 999,
};

struct Api {
  DynamicLibrary library;
  CUresult (*cuInit)(unsigned flags) = nullptr;
  CUresult (*cuDriverGetVersion)(int* version) = nullptr;
  CUresult (*cuGetErrorName)(CUresult error, const char** name) = nullptr;
  CUresult (*cuDeviceGetCount)(int* count) = nullptr;
  CUresult (*cuDeviceGet)(CUdevice* device, int ordinal) = nullptr;
  CUresult (*cuDeviceGetName)(char* name, int length, CUdevice device) = nullptr;
  CUresult (*cuDeviceTotalMem)(size_t* bytes, CUdevice device) = nullptr;
  CUresult (*cuDeviceGetAttribute)(int* value, int attribute, CUdevice device) = nullptr;
  CUresult (*cuDeviceGetPCIBusId)(char* text, int length, CUdevice device) = nullptr;
  // Null before CUDA 11.4. The older cuDeviceGetUuid gives a MIG instance its parent's UUID and is no substitute.
  CUresult (*cuDeviceGetUuid_v2)(CUuuid* uuid, CUdevice device) = nullptr;
};

// Opens libcuda.so.1. Does not call cuInit. The library stays loaded.
Result<Api> load();

// "CUDA_ERROR_NO_DEVICE (100)"
std::string result_text(const Api& api, CUresult result);

}  // namespace seamscope::cuda
