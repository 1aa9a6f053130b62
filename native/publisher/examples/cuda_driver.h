/* The few driver calls of the examples, found at run time, so that they build without a CUDA toolkit. A program with
 * cuda.h or cuda_runtime.h needs none of this. */
#ifndef SEAMSCOPE_EXAMPLE_CUDA_DRIVER_H
#define SEAMSCOPE_EXAMPLE_CUDA_DRIVER_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUstream_st* CUstream;
typedef struct CUarray_st* CUarray;
typedef struct CUextMemory_st* CUexternalMemory;

typedef struct {
  size_t Width, Height, Depth;
  int Format;
  unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct {
  size_t srcXInBytes, srcY;
  int srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch, dstXInBytes, dstY;
  int dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;
enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2, CU_MEMORYTYPE_ARRAY = 3 };

typedef struct {
  int type;
  union {
    int fd;
    void* pointers[2];
  } handle;
  unsigned long long size;
  unsigned flags, reserved[16];
} CUDA_EXTERNAL_MEMORY_HANDLE_DESC;

typedef struct {
  unsigned long long offset, size;
  unsigned flags, reserved[16];
} CUDA_EXTERNAL_MEMORY_BUFFER_DESC;

/* X(name, exported symbol, parameters) */
#define CUDA_FUNCTIONS(X)                                                                                         \
  X(cuInit, "cuInit", (unsigned flags))                                                                           \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int* count))                                                           \
  X(cuDeviceGetUuid, "cuDeviceGetUuid_v2", (void* uuid, int device))                                              \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext * context, int device))                      \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int device))                                      \
  X(cuCtxSetCurrent, "cuCtxSetCurrent", (CUcontext context))                                                      \
  X(cuStreamCreate, "cuStreamCreate", (CUstream * stream, unsigned flags))                                        \
  X(cuStreamSynchronize, "cuStreamSynchronize", (CUstream stream))                                                \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (CUstream stream))                                                     \
  X(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr * pointer, size_t bytes))                                           \
  X(cuMemFree, "cuMemFree_v2", (CUdeviceptr pointer))                                                             \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void* from, size_t bytes, CUstream stream)) \
  X(cuMemcpy2DAsync, "cuMemcpy2DAsync_v2", (const CUDA_MEMCPY2D* copy, CUstream stream))                          \
  X(cuArray3DCreate, "cuArray3DCreate_v2", (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR* desc))                \
  X(cuArrayDestroy, "cuArrayDestroy", (CUarray array))                                                            \
  X(cuImportExternalMemory, "cuImportExternalMemory",                                                             \
    (CUexternalMemory * memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* desc))                                    \
  X(cuExternalMemoryGetMappedBuffer, "cuExternalMemoryGetMappedBuffer",                                           \
    (CUdeviceptr * pointer, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* desc))               \
  X(cuDestroyExternalMemory, "cuDestroyExternalMemory", (CUexternalMemory memory))

#define CUDA_DECLARE(name, symbol, parameters) static int(*name) parameters;
CUDA_FUNCTIONS(CUDA_DECLARE)
#undef CUDA_DECLARE

static inline void cuda_find(void* library, const char* symbol, void* place) {
  void* found = dlsym(library, symbol);
  if (!found) {
    fprintf(stderr, "The CUDA driver has no %s: install a newer one.\n", symbol);
    exit(1);
  }
  memcpy(place, &found, sizeof found);
}

static inline void cuda_load(void) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "This example needs NVIDIA's driver: %s\n", dlerror());
    exit(1);
  }
#define CUDA_FIND(name, symbol, parameters) cuda_find(library, symbol, &name);
  CUDA_FUNCTIONS(CUDA_FIND)
#undef CUDA_FIND
}

/* Examples give up on the first error. */
#define CUDA_CHECK(call)                                         \
  do {                                                           \
    const int cuda_error = (call);                               \
    if (cuda_error != 0) {                                       \
      fprintf(stderr, "%s: CUDA error %d\n", #call, cuda_error); \
      exit(1);                                                   \
    }                                                            \
  } while (0)

#endif
