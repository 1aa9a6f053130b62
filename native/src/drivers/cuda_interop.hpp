#pragma once
// The part of the CUDA driver API that the seam test uses: contexts, streams, kernels, external memory and semaphores,
// virtual memory. One table of function pointers, whose every entry can be wrapped (see interop/driver_tap.hpp).

#include "base/result.hpp"
#include "drivers/cuda_interop_types.hpp"

namespace seamscope::cuda {

// X(name, exported symbol, parameters)
#define SEAMSCOPE_CUDA_INTEROP(X)                                                                                      \
  X(cuInit, "cuInit", (unsigned flags))                                                                                \
  X(cuDeviceGet, "cuDeviceGet", (CUdevice * device, int ordinal))                                                      \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int* value, int attribute, CUdevice device))                        \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext * context, CUdevice device))                      \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice device))                                      \
  X(cuCtxSetCurrent, "cuCtxSetCurrent", (CUcontext context))                                                           \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int* count))                                                                \
  X(cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int* can, CUdevice device, CUdevice peer))                        \
  X(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", (CUcontext peer, unsigned flags))                                  \
  X(cuCtxDisablePeerAccess, "cuCtxDisablePeerAccess", (CUcontext peer))                                                \
  X(cuStreamCreate, "cuStreamCreate", (CUstream * stream, unsigned flags))                                             \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (CUstream stream))                                                          \
  X(cuStreamSynchronize, "cuStreamSynchronize", (CUstream stream))                                                     \
  X(cuEventCreate, "cuEventCreate", (CUevent * event, unsigned flags))                                                 \
  X(cuEventDestroy, "cuEventDestroy_v2", (CUevent event))                                                              \
  X(cuEventRecord, "cuEventRecord", (CUevent event, CUstream stream))                                                  \
  X(cuEventQuery, "cuEventQuery", (CUevent event))                                                                     \
  X(cuModuleLoadData, "cuModuleLoadData", (CUmodule * module, const void* image))                                      \
  X(cuModuleUnload, "cuModuleUnload", (CUmodule module))                                                               \
  X(cuModuleGetFunction, "cuModuleGetFunction", (CUfunction * function, CUmodule module, const char* name))            \
  X(cuLaunchKernel, "cuLaunchKernel",                                                                                  \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,       \
     unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters, void** extra))                       \
  X(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr * pointer, size_t bytes))                                                \
  X(cuMemFree, "cuMemFree_v2", (CUdeviceptr pointer))                                                                  \
  X(cuMemsetD32, "cuMemsetD32_v2", (CUdeviceptr pointer, unsigned value, size_t count))                                \
  X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void* to, CUdeviceptr from, size_t bytes))                                       \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void* from, size_t bytes, CUstream stream))      \
  X(cuMemcpyPeerAsync, "cuMemcpyPeerAsync",                                                                            \
    (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream stream))   \
  X(cuImportExternalMemory, "cuImportExternalMemory",                                                                  \
    (CUexternalMemory * memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* desc))                                         \
  X(cuDestroyExternalMemory, "cuDestroyExternalMemory", (CUexternalMemory memory))                                     \
  X(cuExternalMemoryGetMappedBuffer, "cuExternalMemoryGetMappedBuffer",                                                \
    (CUdeviceptr * pointer, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* desc))                    \
  X(cuExternalMemoryGetMappedMipmappedArray, "cuExternalMemoryGetMappedMipmappedArray",                                \
    (CUmipmappedArray * array, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC* desc))        \
  X(cuMipmappedArrayGetLevel, "cuMipmappedArrayGetLevel", (CUarray * array, CUmipmappedArray levels, unsigned level))  \
  X(cuMipmappedArrayDestroy, "cuMipmappedArrayDestroy", (CUmipmappedArray levels))                                     \
  X(cuSurfObjectCreate, "cuSurfObjectCreate", (CUsurfObject * surface, const CUDA_RESOURCE_DESC* desc))                \
  X(cuSurfObjectDestroy, "cuSurfObjectDestroy", (CUsurfObject surface))                                                \
  X(cuImportExternalSemaphore, "cuImportExternalSemaphore",                                                            \
    (CUexternalSemaphore * semaphore, const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* desc))                                \
  X(cuDestroyExternalSemaphore, "cuDestroyExternalSemaphore", (CUexternalSemaphore semaphore))                         \
  X(cuWaitExternalSemaphoresAsync, "cuWaitExternalSemaphoresAsync",                                                    \
    (const CUexternalSemaphore* semaphores, const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* params, unsigned count,         \
     CUstream stream))                                                                                                 \
  X(cuSignalExternalSemaphoresAsync, "cuSignalExternalSemaphoresAsync",                                                \
    (const CUexternalSemaphore* semaphores, const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* params, unsigned count,       \
     CUstream stream))                                                                                                 \
  X(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity",                                                    \
    (size_t * granularity, const CUmemAllocationProp* prop, int option))                                               \
  X(cuMemCreate, "cuMemCreate",                                                                                        \
    (CUmemGenericAllocationHandle * handle, size_t bytes, const CUmemAllocationProp* prop, unsigned long long flags))  \
  X(cuMemRelease, "cuMemRelease", (CUmemGenericAllocationHandle handle))                                               \
  X(cuMemAddressReserve, "cuMemAddressReserve",                                                                        \
    (CUdeviceptr * pointer, size_t bytes, size_t alignment, CUdeviceptr address, unsigned long long flags))            \
  X(cuMemAddressFree, "cuMemAddressFree", (CUdeviceptr pointer, size_t bytes))                                         \
  X(cuMemMap, "cuMemMap",                                                                                              \
    (CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags)) \
  X(cuMemUnmap, "cuMemUnmap", (CUdeviceptr pointer, size_t bytes))                                                     \
  X(cuMemSetAccess, "cuMemSetAccess",                                                                                  \
    (CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc* access, size_t count))                                  \
  X(cuMemExportToShareableHandle, "cuMemExportToShareableHandle",                                                      \
    (void* handle, CUmemGenericAllocationHandle allocation, int type, unsigned long long flags))

struct InteropApi {
#define SEAMSCOPE_DECLARE(name, symbol, parameters) CUresult(*name) parameters = nullptr;
  SEAMSCOPE_CUDA_INTEROP(SEAMSCOPE_DECLARE)
#undef SEAMSCOPE_DECLARE
};

// The entry points of an opened driver. The error names the first that is missing.
Result<InteropApi> load_interop(const Api& api);

}  // namespace seamscope::cuda
