#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "check_cudart.hpp"
#include "unique_fd.hpp"

// snippet: begin seam-cudart-import-buffer | Import exported memory into CUDA (runtime API) and map it as a linear buffer
// snippet: placeholders ImportedBuffer
class ImportedBuffer {
 public:
  // `allocation_size` is VkMemoryRequirements::size. `dedicated` says how Vulkan allocated.
  ImportedBuffer(UniqueFd fd, uint64_t allocation_size, uint64_t bytes, bool dedicated)
      : ImportedBuffer() {
    cudaExternalMemoryHandleDesc handle{};
    handle.type = cudaExternalMemoryHandleTypeOpaqueFd;
    handle.handle.fd = fd.get();
    handle.size = allocation_size;
    handle.flags = dedicated ? cudaExternalMemoryDedicated : 0;
    check(cudaImportExternalMemory(&memory_, &handle), "cudaImportExternalMemory");
    fd.release();  // the transfer point: CUDA adopted the fd; on failure UniqueFd closes it

    cudaExternalMemoryBufferDesc buffer{};
    buffer.offset = 0;
    buffer.size = bytes;
    check(cudaExternalMemoryGetMappedBuffer(&pointer_, memory_, &buffer), "map imported buffer");
  }
  ImportedBuffer(const ImportedBuffer&) = delete;
  ImportedBuffer& operator=(const ImportedBuffer&) = delete;
  // Synchronise the streams that use the pointer first: do not rely on these calls to wait.
  ~ImportedBuffer() {
    if (pointer_) cudaFree(pointer_);  // before the import: the mapping is carved out of it
    if (memory_) cudaDestroyExternalMemory(memory_);
  }

  void* pointer() const { return pointer_; }

 private:
  ImportedBuffer() = default;
  cudaExternalMemory_t memory_ = nullptr;
  void* pointer_ = nullptr;
};
// snippet: end
