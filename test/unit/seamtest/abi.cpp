// Our declarations of the CUDA driver API against the toolkit's. Compiles when they agree.

#include <cstddef>

#include "drivers/cuda_interop_types.hpp"

namespace ours {
using namespace seamscope::cuda;
constexpr unsigned kDedicated = CUDA_EXTERNAL_MEMORY_DEDICATED, kSurface = CUDA_ARRAY3D_SURFACE_LDST;
constexpr int kMemoryFd = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
              kTimelineFd = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
              kPosixFd = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, kReadWrite = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
              kPinned = CU_MEM_ALLOCATION_TYPE_PINNED, kLocation = CU_MEM_LOCATION_TYPE_DEVICE,
              kU8 = CU_AD_FORMAT_UNSIGNED_INT8, kArray = CU_RESOURCE_TYPE_ARRAY, kNotReady = CUDA_ERROR_NOT_READY,
              kOutOfMemory = CUDA_ERROR_OUT_OF_MEMORY, kMultiprocessors = CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
constexpr unsigned kNonBlocking = CU_STREAM_NON_BLOCKING, kNoTiming = CU_EVENT_DISABLE_TIMING;
}  // namespace ours

#include <cuda.h>

#define SAME_SIZE(type) static_assert(sizeof(::type) == sizeof(ours::type), #type);
#define SAME_PLACE(type, member) static_assert(offsetof(::type, member) == offsetof(ours::type, member), #type);

SAME_SIZE(CUDA_EXTERNAL_MEMORY_HANDLE_DESC)
SAME_PLACE(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, handle)
SAME_PLACE(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, size)
SAME_PLACE(CUDA_EXTERNAL_MEMORY_HANDLE_DESC, flags)
SAME_SIZE(CUDA_EXTERNAL_MEMORY_BUFFER_DESC)
SAME_PLACE(CUDA_EXTERNAL_MEMORY_BUFFER_DESC, size)
SAME_SIZE(CUDA_ARRAY3D_DESCRIPTOR)
SAME_PLACE(CUDA_ARRAY3D_DESCRIPTOR, Flags)
SAME_SIZE(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC)
SAME_PLACE(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, numLevels)
SAME_SIZE(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC)
SAME_PLACE(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, handle)
SAME_SIZE(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS)
SAME_PLACE(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, flags)
SAME_SIZE(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS)
SAME_PLACE(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, flags)
SAME_SIZE(CUmemAllocationProp)
SAME_PLACE(CUmemAllocationProp, requestedHandleTypes)
SAME_PLACE(CUmemAllocationProp, location)
SAME_PLACE(CUmemAllocationProp, allocFlags)
SAME_SIZE(CUmemAccessDesc)
SAME_PLACE(CUmemAccessDesc, flags)
SAME_SIZE(CUDA_RESOURCE_DESC)
SAME_PLACE(CUDA_RESOURCE_DESC, res)
SAME_PLACE(CUDA_RESOURCE_DESC, flags)

static_assert(ours::kDedicated == CUDA_EXTERNAL_MEMORY_DEDICATED);
static_assert(ours::kSurface == CUDA_ARRAY3D_SURFACE_LDST);
static_assert(ours::kMemoryFd == CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD);
static_assert(ours::kTimelineFd == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD);
static_assert(ours::kPosixFd == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
static_assert(ours::kReadWrite == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
static_assert(ours::kPinned == CU_MEM_ALLOCATION_TYPE_PINNED && ours::kLocation == CU_MEM_LOCATION_TYPE_DEVICE);
static_assert(ours::kU8 == CU_AD_FORMAT_UNSIGNED_INT8 && ours::kArray == CU_RESOURCE_TYPE_ARRAY);
static_assert(ours::kNotReady == CUDA_ERROR_NOT_READY && ours::kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(ours::kMultiprocessors == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(ours::kNonBlocking == CU_STREAM_NON_BLOCKING && ours::kNoTiming == CU_EVENT_DISABLE_TIMING);
