// libcuda's stand-in, continued: what a publisher calls to copy frames out of pointers and arrays. All memory is host
// memory, so a pointer of any kind is an address.

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "drivers/cuda_interop_types.hpp"
#include "faults.hpp"
#include "gpu_queue.hpp"

using doubles::fault;
using namespace seamscope::cuda;

namespace {

constexpr int kInvalidValue = 1, kOutOfMemory = 2, kAlreadyRegistered = 712, kNotRegistered = 713;
constexpr int kMemoryHost = 1, kMemoryArray = 3;
constexpr int kAttributeContext = 1, kAttributeType = 2, kAttributeOrdinal = 9;

struct PublisherArray {
  CUDA_ARRAY3D_DESCRIPTOR desc;
  std::vector<char> bytes;
  size_t texel;
};

// CUDA_MEMCPY2D of cuda.h.
struct Side {
  size_t x, y;
  int type;
  void* host;
  CUdeviceptr device;
  PublisherArray* array;
  size_t pitch;
};
struct Copy2D {
  Side source, target;
  size_t width, height;
};

size_t channel_bytes(int format) {
  switch (format) {
    case 0x01:
    case 0x08:
      return 1;
    case 0x02:
    case 0x09:
    case 0x10:
      return 2;
    default:
      return 4;
  }
}

struct Lines {
  char* first;
  size_t pitch;
};

Lines lines_of(const Side& side) {
  size_t pitch = side.pitch;
  char* base = side.type == kMemoryHost ? static_cast<char*>(side.host) : reinterpret_cast<char*>(side.device);
  if (side.type == kMemoryArray) {
    pitch = side.array->desc.Width * side.array->texel;
    base = side.array->bytes.data();
  }
  return {base + side.y * pitch + side.x, pitch};
}

std::mutex registered_mutex;
std::map<void*, size_t> registered;

}  // namespace

#define OR_FAULT(name) \
  if (const int error = fault(name)) return error

#pragma GCC visibility push(default)
extern "C" {

int cuPointerGetAttribute(void* out, int attribute, CUdeviceptr) {
  OR_FAULT("cuPointerGetAttribute");
  if (attribute == kAttributeContext) *static_cast<void**>(out) = nullptr;
  if (attribute == kAttributeType) *static_cast<unsigned*>(out) = 2;
  if (attribute == kAttributeOrdinal) *static_cast<int*>(out) = 0;
  return 0;
}

int cuPointerGetAttributes(unsigned count, int* attributes, void** out, CUdeviceptr pointer) {
  OR_FAULT("cuPointerGetAttributes");
  for (unsigned i = 0; i < count; ++i) cuPointerGetAttribute(out[i], attributes[i], pointer);
  return 0;
}

int cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
  OR_FAULT("cuMemcpyAsync");
  doubles::put_on_gpu([=] { std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes); });
  return 0;
}

int cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes, CUstream stream) {
  OR_FAULT("cuMemcpyPeerAsync");
  return cuMemcpyAsync(to, from, bytes, stream);
}

int cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  OR_FAULT("cuMemcpyDtoDAsync");
  return cuMemcpyAsync(to, from, bytes, stream);
}

int cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  OR_FAULT("cuMemcpyDtoHAsync");
  return cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(to), from, bytes, stream);
}

int cuMemcpy2DAsync_v2(const Copy2D* copy, CUstream) {
  OR_FAULT("cuMemcpy2DAsync");
  const Lines from = lines_of(copy->source), to = lines_of(copy->target);
  if (from.pitch < copy->width || to.pitch < copy->width) return kInvalidValue;
  doubles::put_on_gpu([=, width = copy->width, height = copy->height] {
    for (size_t y = 0; y < height; ++y) std::memcpy(to.first + y * to.pitch, from.first + y * from.pitch, width);
  });
  return 0;
}

int cuArray3DCreate_v2(PublisherArray** array, const CUDA_ARRAY3D_DESCRIPTOR* desc) {
  OR_FAULT("cuArray3DCreate");
  const size_t texel = channel_bytes(desc->Format) * desc->NumChannels;
  const size_t height = desc->Height ? desc->Height : 1;
  *array = new PublisherArray{*desc, std::vector<char>(desc->Width * height * texel), texel};
  return 0;
}

int cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* desc, PublisherArray* array) {
  OR_FAULT("cuArray3DGetDescriptor");
  *desc = array->desc;
  return 0;
}

int cuArrayDestroy(PublisherArray* array) {
  OR_FAULT("cuArrayDestroy");
  delete array;
  return 0;
}

int cuMemHostRegister_v2(void* address, size_t bytes, unsigned) {
  OR_FAULT("cuMemHostRegister");
  const std::lock_guard lock(registered_mutex);
  return registered.emplace(address, bytes).second ? 0 : kAlreadyRegistered;
}

int cuMemHostUnregister(void* address) {
  OR_FAULT("cuMemHostUnregister");
  const std::lock_guard lock(registered_mutex);
  return registered.erase(address) ? 0 : kNotRegistered;
}

int cuMemHostGetDevicePointer_v2(CUdeviceptr* pointer, void* memory, unsigned) {
  OR_FAULT("cuMemHostGetDevicePointer");
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  return 0;
}

int cuStreamWriteValue32_v2(CUstream, CUdeviceptr address, unsigned value, unsigned) {
  OR_FAULT("cuStreamWriteValue32");
  doubles::put_on_gpu([=] { __atomic_store_n(reinterpret_cast<unsigned*>(address), value, __ATOMIC_RELEASE); });
  return 0;
}

int cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  OR_FAULT("cuMemHostAlloc");
  *memory = std::malloc(bytes);
  return *memory ? 0 : kOutOfMemory;
}

int cuMemFreeHost(void* memory) {
  OR_FAULT("cuMemFreeHost");
  std::free(memory);
  return 0;
}

// With SEAMSCOPE_DOUBLES_CAPTURING set, every stream is being captured into a graph.
int cuStreamIsCapturing(CUstream, int* status) {
  OR_FAULT("cuStreamIsCapturing");
  *status = std::getenv("SEAMSCOPE_DOUBLES_CAPTURING") != nullptr;
  return 0;
}

int cuStreamWaitEvent(CUstream, CUevent, unsigned) {
  OR_FAULT("cuStreamWaitEvent");
  return 0;
}

int cuLaunchHostFunc(CUstream, void (*function)(void*), void* data) {
  OR_FAULT("cuLaunchHostFunc");
  doubles::put_on_driver_thread([=] { function(data); });
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
