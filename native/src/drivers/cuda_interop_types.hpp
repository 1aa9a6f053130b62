#pragma once
// Types of the CUDA driver API that share memory and synchronisation. Own declarations, so that no toolkit is needed to
// build; names and layouts are CUDA's binary interface, which test/unit/seamtest/abi.test.ts compares with cuda.h.

#include <cstddef>
#include <cstdint>

#include "drivers/cuda.hpp"

namespace seamscope::cuda {

using CUdeviceptr = unsigned long long;
using CUsurfObject = unsigned long long;
using CUmemGenericAllocationHandle = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUarray = struct CUarray_st*;
using CUmipmappedArray = struct CUmipmappedArray_st*;
using CUexternalMemory = struct CUextMemory_st*;
using CUexternalSemaphore = struct CUextSemaphore_st*;

constexpr CUresult CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_READY = 600;
constexpr int CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1;
constexpr unsigned CUDA_EXTERNAL_MEMORY_DEDICATED = 1;
constexpr int CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD = 9;
constexpr unsigned CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DISABLE_TIMING = 2;
constexpr int CU_MEM_ALLOCATION_TYPE_PINNED = 1, CU_MEM_LOCATION_TYPE_DEVICE = 1;
constexpr int CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3;
constexpr int CU_AD_FORMAT_UNSIGNED_INT8 = 1, CU_RESOURCE_TYPE_ARRAY = 0;
constexpr unsigned CUDA_ARRAY3D_SURFACE_LDST = 2;
constexpr int CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16;

union ExternalHandle {
  int fd;
  struct {
    void* handle;
    const void* name;
  } win32;
};

struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
  int type;
  ExternalHandle handle;
  unsigned long long size;
  unsigned flags;
  unsigned reserved[16];
};

struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
  unsigned long long offset, size;
  unsigned flags;
  unsigned reserved[16];
};

struct CUDA_ARRAY3D_DESCRIPTOR {
  size_t Width, Height, Depth;
  int Format;
  unsigned NumChannels, Flags;
};

struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
  unsigned long long offset;
  CUDA_ARRAY3D_DESCRIPTOR arrayDesc;
  unsigned numLevels;
  unsigned reserved[16];
};

struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
  int type;
  ExternalHandle handle;
  unsigned flags;
  unsigned reserved[16];
};

struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS {
  struct {
    unsigned long long fence, nvSciSync, keyedMutex;
    unsigned reserved[12];
  } params;
  unsigned flags;
  unsigned reserved[16];
};

struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS {
  struct {
    unsigned long long fence, nvSciSync, keyedMutex;
    unsigned timeoutMs;
    unsigned reserved[10];
  } params;
  unsigned flags;
  unsigned reserved[16];
};

struct CUmemLocation {
  int type, id;
};

struct CUmemAllocationProp {
  int type, requestedHandleTypes;
  CUmemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType, gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
};

struct CUmemAccessDesc {
  CUmemLocation location;
  int flags;
};

struct CUDA_RESOURCE_DESC {
  int resType;
  union {
    CUarray hArray;
    int reserved[32];
  } res;
  unsigned flags;
};

}  // namespace seamscope::cuda
