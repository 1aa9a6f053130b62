#pragma once
// The part of the CUDA driver API that looks at devices without creating a context. Own declarations, so that no
// toolkit is needed to build; the numbers are CUDA's binary interface.

#include <string>

#include "base/result.hpp"
#include "drivers/driver_call.hpp"

namespace seamscope::cuda {

using CUresult = int;
using CUdevice = int;
struct CUuuid {
  char bytes[16];
};

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_MPS_CONNECTION_FAILED = 805,
  CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
  CUDA_ERROR_UNKNOWN = 999,
};

struct Api {
  DynamicLibrary library;
  CUresult (*cuGetErrorName)(CUresult error, const char** name) = nullptr;
  DriverCall<CUresult(unsigned flags)> cuInit;
  DriverCall<CUresult(int* version)> cuDriverGetVersion;
  DriverCall<CUresult(int* count)> cuDeviceGetCount;
  DriverCall<CUresult(CUdevice* device, int ordinal)> cuDeviceGet;
  DriverCall<CUresult(char* name, int length, CUdevice device)> cuDeviceGetName;
  DriverCall<CUresult(size_t* bytes, CUdevice device)> cuDeviceTotalMem;
  DriverCall<CUresult(int* value, int attribute, CUdevice device)> cuDeviceGetAttribute;
  DriverCall<CUresult(char* text, int length, CUdevice device)> cuDeviceGetPCIBusId;
  // Absent before CUDA 11.4.
  DriverCall<CUresult(CUuuid* uuid, CUdevice device)> cuDeviceGetUuid_v2;
  // Gives a MIG instance its parent's UUID: shown as a pitfall, never matched.
  DriverCall<CUresult(CUuuid* uuid, CUdevice device)> cuDeviceGetUuid;
  DriverCall<CUresult(int* possible, CUdevice device, CUdevice peer)> cuDeviceCanAccessPeer;
  DriverCall<CUresult(int* value, int attribute, CUdevice device, CUdevice peer)> cuDeviceGetP2PAttribute;
};

// Opens libcuda.so.1. Does not call cuInit. The library stays loaded.
Result<Api> load();

// "CUDA_ERROR_NO_DEVICE (100)"
std::string result_text(const Api& api, CUresult result);

}  // namespace seamscope::cuda
