// libcuda's stand-in, continued: memory shared with lavapipe for real, so that ownership of descriptors, mappings and
// teardown are what a sanitizer sees.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "cuda_kernels.hpp"
#include "drivers/cuda_interop_types.hpp"
#include "faults.hpp"
#include "lavapipe_memory.hpp"

using doubles::Array;
using doubles::fault;
using doubles::Mapping;
using namespace seamscope::cuda;

namespace {

constexpr int kInvalidValue = 1, kOutOfMemory = 2, kInvalidHandle = 400, kNotSupported = 801;
constexpr size_t kGranularity = 2 << 20;

struct Allocation {
  int fd;
  size_t bytes;
};
// Of what follows: a program's threads may make and free memory at the same time.
std::mutex& tables() {
  static std::mutex mutex;
  return mutex;
}
std::map<CUmemGenericAllocationHandle, Allocation>& allocations() {
  static std::map<CUmemGenericAllocationHandle, Allocation> all;
  return all;
}
// Pointers of imported buffers, which cuMemFree lets go without freeing anything.
std::map<CUdeviceptr, Mapping*>& views() {
  static std::map<CUdeviceptr, Mapping*> all;
  return all;
}

template <typename T>
T* bytes_at(CUdeviceptr pointer) {
  return reinterpret_cast<T*>(pointer);
}

}  // namespace

#define OR_FAULT(name) \
  if (const int error = fault(name)) return error

#pragma GCC visibility push(default)
extern "C" {

int cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  OR_FAULT("cuMemAlloc");
  void* memory = std::malloc(bytes);
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  return memory ? 0 : kOutOfMemory;
}

int cuMemFree_v2(CUdeviceptr pointer) {
  OR_FAULT("cuMemFree");
  const std::lock_guard lock(tables());
  if (views().erase(pointer) == 0) std::free(bytes_at<void>(pointer));
  return 0;
}

int cuMemsetD32_v2(CUdeviceptr pointer, unsigned value, size_t count) {
  OR_FAULT("cuMemsetD32");
  for (size_t i = 0; i < count; ++i) bytes_at<unsigned>(pointer)[i] = value;
  return 0;
}

int cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  OR_FAULT("cuMemcpyDtoH");
  std::memcpy(to, bytes_at<void>(from), bytes);
  return 0;
}

int cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream) {
  OR_FAULT("cuMemcpyHtoDAsync");
  std::memcpy(bytes_at<void>(to), from, bytes);
  return 0;
}

// Adopts the descriptor on success only, as the driver does.
int cuImportExternalMemory(CUexternalMemory* memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* desc) {
  OR_FAULT("cuImportExternalMemory");
  if (desc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD) return kNotSupported;
  Mapping mapping;
  if (!doubles::map_lavapipe_memory(desc->handle.fd, &mapping)) return kInvalidValue;
  if (desc->size > mapping.bytes) {
    munmap(mapping.base, mapping.length);
    return kInvalidValue;
  }
  close(desc->handle.fd);
  *memory = reinterpret_cast<CUexternalMemory>(new Mapping(mapping));
  return 0;
}

int cuDestroyExternalMemory(CUexternalMemory memory) {
  OR_FAULT("cuDestroyExternalMemory");
  auto* mapping = reinterpret_cast<Mapping*>(memory);
  munmap(mapping->base, mapping->length);
  delete mapping;
  return 0;
}

int cuExternalMemoryGetMappedBuffer(CUdeviceptr* pointer, CUexternalMemory memory,
                                    const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* desc) {
  OR_FAULT("cuExternalMemoryGetMappedBuffer");
  auto* mapping = reinterpret_cast<Mapping*>(memory);
  if (desc->offset + desc->size > mapping->bytes) return kInvalidValue;
  *pointer = reinterpret_cast<CUdeviceptr>(mapping->data + desc->offset);
  const std::lock_guard lock(tables());
  views()[*pointer] = mapping;
  return 0;
}

// lavapipe stores rows of a multiple of 16 pixels without padding: other widths are refused rather than read wrongly.
int cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray* levels, CUexternalMemory memory,
                                            const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC* desc) {
  OR_FAULT("cuExternalMemoryGetMappedMipmappedArray");
  auto* mapping = reinterpret_cast<Mapping*>(memory);
  const auto& array = desc->arrayDesc;
  if (array.Width % 16 != 0 || array.NumChannels != 4 || array.Format != CU_AD_FORMAT_UNSIGNED_INT8)
    return kNotSupported;
  if (desc->offset + array.Width * array.Height * 4 > mapping->bytes) return kInvalidValue;
  auto* words = reinterpret_cast<unsigned*>(mapping->data + desc->offset);
  *levels = reinterpret_cast<CUmipmappedArray>(new Array{words, array.Width, array.Height});
  return 0;
}

int cuMipmappedArrayGetLevel(CUarray* array, CUmipmappedArray levels, unsigned level) {
  OR_FAULT("cuMipmappedArrayGetLevel");
  if (level != 0) return kInvalidValue;
  *array = reinterpret_cast<CUarray>(levels);
  return 0;
}

int cuMipmappedArrayDestroy(CUmipmappedArray levels) {
  OR_FAULT("cuMipmappedArrayDestroy");
  delete reinterpret_cast<Array*>(levels);
  return 0;
}

int cuSurfObjectCreate(CUsurfObject* surface, const CUDA_RESOURCE_DESC* desc) {
  OR_FAULT("cuSurfObjectCreate");
  if (desc->resType != CU_RESOURCE_TYPE_ARRAY) return kInvalidValue;
  *surface = reinterpret_cast<CUsurfObject>(desc->res.hArray);
  return 0;
}

int cuSurfObjectDestroy(CUsurfObject) {
  OR_FAULT("cuSurfObjectDestroy");
  return 0;
}

int cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp*, int) {
  OR_FAULT("cuMemGetAllocationGranularity");
  *granularity = kGranularity;
  return 0;
}

int cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* prop,
                unsigned long long) {
  OR_FAULT("cuMemCreate");
  const std::lock_guard lock(tables());
  static CUmemGenericAllocationHandle next = 1;
  if (bytes % kGranularity != 0 || prop->requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return kInvalidValue;
  const int fd = doubles::create_lavapipe_memory(bytes);
  if (fd < 0) return kOutOfMemory;
  allocations()[*handle = next++] = {fd, bytes};
  return 0;
}

int cuMemRelease(CUmemGenericAllocationHandle handle) {
  OR_FAULT("cuMemRelease");
  const std::lock_guard lock(tables());
  const auto found = allocations().find(handle);
  if (found == allocations().end()) return kInvalidHandle;
  close(found->second.fd);
  allocations().erase(found);
  return 0;
}

int cuMemAddressReserve(CUdeviceptr* pointer, size_t bytes, size_t, CUdeviceptr, unsigned long long) {
  OR_FAULT("cuMemAddressReserve");
  void* range = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *pointer = reinterpret_cast<CUdeviceptr>(range);
  return range == MAP_FAILED ? kOutOfMemory : 0;
}

int cuMemAddressFree(CUdeviceptr pointer, size_t bytes) {
  OR_FAULT("cuMemAddressFree");
  return munmap(bytes_at<void>(pointer), bytes) == 0 ? 0 : kInvalidValue;
}

int cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
             unsigned long long) {
  OR_FAULT("cuMemMap");
  const std::lock_guard lock(tables());
  const auto found = allocations().find(handle);
  if (found == allocations().end()) return kInvalidHandle;
  const auto place = static_cast<off_t>(doubles::kLavapipeOffset + offset);
  void* mapped = mmap(bytes_at<void>(pointer), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, found->second.fd, place);
  return mapped == MAP_FAILED ? kInvalidValue : 0;
}

int cuMemUnmap(CUdeviceptr pointer, size_t bytes) {
  OR_FAULT("cuMemUnmap");
  void* range =
      mmap(bytes_at<void>(pointer), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return range == MAP_FAILED ? kInvalidValue : 0;
}

int cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc*, size_t) {
  OR_FAULT("cuMemSetAccess");
  return mprotect(bytes_at<void>(pointer), bytes, PROT_READ | PROT_WRITE) == 0 ? 0 : kInvalidValue;
}

int cuMemExportToShareableHandle(void* handle, CUmemGenericAllocationHandle allocation, int, unsigned long long) {
  OR_FAULT("cuMemExportToShareableHandle");
  const std::lock_guard lock(tables());
  const auto found = allocations().find(allocation);
  if (found == allocations().end()) return kInvalidHandle;
  const int fd = fcntl(found->second.fd, F_DUPFD_CLOEXEC, 0);
  *static_cast<int*>(handle) = fd;
  return fd < 0 ? kOutOfMemory : 0;
}

}  // extern "C"
#pragma GCC visibility pop
