#pragma once
// The driver calls that a publish of CUDA memory makes or could make, each by its own name. What an old driver lacks is
// null.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "drivers/cuda_interop_types.hpp"

namespace seamscope::measure {

using cuda::CUcontext;
using cuda::CUdeviceptr;
using cuda::CUevent;
using cuda::CUresult;
using cuda::CUstream;

struct Copy2D {  // CUDA_MEMCPY2D
  size_t from_x, from_y;
  int from_type;
  const void* from_host;
  CUdeviceptr from_device;
  void* from_array;
  size_t from_pitch, to_x, to_y;
  int to_type;
  void* to_host;
  CUdeviceptr to_device;
  void* to_array;
  size_t to_pitch, width_bytes, height;
};

struct Copy3D {  // CUDA_MEMCPY3D
  size_t from_x, from_y, from_z, from_lod;
  int from_type;
  const void* from_host;
  CUdeviceptr from_device;
  void* from_array;
  void* reserved_0;
  size_t from_pitch, from_height, to_x, to_y, to_z, to_lod;
  int to_type;
  void* to_host;
  CUdeviceptr to_device;
  void* to_array;
  void* reserved_1;
  size_t to_pitch, to_height, width_bytes, height, depth;
};

union MemoryOperation {  // CUstreamBatchMemOpParams
  struct {
    int operation;
    CUdeviceptr address;
    uint64_t value;
    unsigned flags;
    CUdeviceptr alias;
  } write;
  uint64_t padding[6];
};

struct MemoryOperations {  // CUDA_BATCH_MEM_OP_NODE_PARAMS
  CUcontext context;
  unsigned count;
  MemoryOperation* operations;
  unsigned flags;
};

constexpr int kDevice = 2, kUnified = 4;  // CUmemorytype
constexpr int kWriteValue32 = 2;          // CU_STREAM_MEM_OP_WRITE_VALUE_32

// X(name, exported symbol, parameters)
#define SEAMSCOPE_MEASURED_CALLS(X)                                                                                 \
  X(ctx_get, "cuCtxGetCurrent", (CUcontext * context))                                                              \
  X(ctx_push, "cuCtxPushCurrent_v2", (CUcontext context))                                                           \
  X(ctx_pop, "cuCtxPopCurrent_v2", (CUcontext * context))                                                           \
  X(ctx_device, "cuCtxGetDevice", (int* device))                                                                    \
  X(pointer_attribute, "cuPointerGetAttribute", (void* value, int attribute, CUdeviceptr pointer))                  \
  X(capture_mode, "cuThreadExchangeStreamCaptureMode", (int* mode))                                                 \
  X(is_capturing, "cuStreamIsCapturing", (CUstream stream, int* status))                                            \
  X(stream_ctx, "cuStreamGetCtx", (CUstream stream, CUcontext * context))                                           \
  X(stream_wait, "cuStreamWaitEvent", (CUstream stream, CUevent event, unsigned flags))                             \
  X(host_function, "cuLaunchHostFunc", (CUstream stream, void (*function)(void*), void* argument))                  \
  X(copy_2d, "cuMemcpy2DAsync_v2", (const Copy2D* copy, CUstream stream))                                           \
  X(copy, "cuMemcpyAsync", (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                       \
  X(copy_device, "cuMemcpyDtoDAsync_v2", (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))         \
  X(set, "cuMemsetD32Async", (CUdeviceptr to, unsigned value, size_t count, CUstream stream))                       \
  X(write_value, "cuStreamWriteValue32_v2", (CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags)) \
  X(host_register, "cuMemHostRegister_v2", (void* memory, size_t bytes, unsigned flags))                            \
  X(host_unregister, "cuMemHostUnregister", (void* memory))                                                         \
  X(host_pointer, "cuMemHostGetDevicePointer_v2", (CUdeviceptr * pointer, void* memory, unsigned flags))            \
  X(graph_create, "cuGraphCreate", (void** graph, unsigned flags))                                                  \
  X(graph_destroy, "cuGraphDestroy", (void* graph))                                                                 \
  X(graph_add_copy, "cuGraphAddMemcpyNode",                                                                         \
    (void** node, void* graph, void* const* after, size_t count, const Copy3D* copy, CUcontext context))            \
  X(graph_add_write, "cuGraphAddBatchMemOpNode",                                                                    \
    (void** node, void* graph, void* const* after, size_t count, const MemoryOperations* operations))               \
  X(graph_add_record, "cuGraphAddEventRecordNode",                                                                  \
    (void** node, void* graph, void* const* after, size_t count, CUevent event))                                    \
  X(graph_instantiate, "cuGraphInstantiateWithFlags", (void** executable, void* graph, unsigned long long flags))   \
  X(graph_upload, "cuGraphUpload", (void* executable, CUstream stream))                                             \
  X(graph_launch, "cuGraphLaunch", (void* executable, CUstream stream))                                             \
  X(graph_free, "cuGraphExecDestroy", (void* executable))

struct Driver {
#define SEAMSCOPE_DECLARE(name, symbol, parameters) CUresult(*name) parameters = nullptr;
  SEAMSCOPE_MEASURED_CALLS(SEAMSCOPE_DECLARE)
#undef SEAMSCOPE_DECLARE

  Driver() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    const auto find = [&](const char* symbol, void* place) {
      void* found = library ? dlsym(library, symbol) : nullptr;
      std::memcpy(place, &found, sizeof found);
    };
#define SEAMSCOPE_FIND(name, symbol, parameters) find(symbol, &name);
    SEAMSCOPE_MEASURED_CALLS(SEAMSCOPE_FIND)
#undef SEAMSCOPE_FIND
  }
};

}  // namespace seamscope::measure
