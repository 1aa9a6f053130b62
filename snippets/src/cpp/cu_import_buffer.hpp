#pragma once

#include <cuda.h>

#include <cstdint>

#include "check_cuda.hpp"
#include "unique_fd.hpp"

// snippet: begin seam-cu-import-buffer | Import exported memory into CUDA (driver API) and map it as a linear buffer
// snippet: placeholders ImportedBuffer
class ImportedBuffer {
 public:
  // `allocation_size` is VkMemoryRequirements::size. `dedicated` says how Vulkan allocated.
  ImportedBuffer(UniqueFd fd, uint64_t allocation_size, uint64_t bytes, bool dedicated)
      : ImportedBuffer() {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle{};
    handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    handle.handle.fd = fd.get();
    handle.size = allocation_size;
    handle.flags = dedicated ? CUDA_EXTERNAL_MEMORY_DEDICATED : 0;
    check(cuImportExternalMemory(&memory_, &handle), "cuImportExternalMemory");
    fd.release();  // the transfer point: CUDA adopted the fd; on failure UniqueFd closes it

    CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer{};
    buffer.offset = 0;
    buffer.size = bytes;
    check(cuExternalMemoryGetMappedBuffer(&pointer_, memory_, &buffer), "map imported buffer");
  }
  ImportedBuffer(const ImportedBuffer&) = delete;
  ImportedBuffer& operator=(const ImportedBuffer&) = delete;
  // Synchronise the streams that use the pointer first: these calls do not wait for them.
  ~ImportedBuffer() {
    if (pointer_) cuMemFree(pointer_);  // before the import: the mapping is carved out of it
    if (memory_) cuDestroyExternalMemory(memory_);
  }

  CUdeviceptr pointer() const { return pointer_; }

 private:
  ImportedBuffer() = default;
  CUexternalMemory memory_ = nullptr;
  CUdeviceptr pointer_ = 0;
};
// snippet: end
