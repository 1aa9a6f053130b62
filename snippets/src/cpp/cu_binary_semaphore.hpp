#pragma once

#include <cuda.h>

#include "check_cuda.hpp"
#include "unique_fd.hpp"

// snippet: begin seam-cu-binary-semaphore | Binary semaphore fallback in CUDA where timelines cannot be exported
// snippet: placeholders ImportedBinarySemaphore
// Vulkan creates it without VkSemaphoreTypeCreateInfo. Every signal must be followed by exactly one
// wait, so use a pair: one semaphore for each direction, and skip both for a skipped frame.
class ImportedBinarySemaphore {
 public:
  explicit ImportedBinarySemaphore(UniqueFd fd) {
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC handle{};
    handle.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;  // not the timeline type
    handle.handle.fd = fd.get();
    check(cuImportExternalSemaphore(&semaphore_, &handle), "cuImportExternalSemaphore");
    fd.release();  // the transfer point: CUDA adopted the fd; on failure UniqueFd closes it
  }
  ImportedBinarySemaphore(const ImportedBinarySemaphore&) = delete;
  ImportedBinarySemaphore& operator=(const ImportedBinarySemaphore&) = delete;
  ~ImportedBinarySemaphore() { cuDestroyExternalSemaphore(semaphore_); }

  void wait(CUstream stream) const {
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS params{};  // a binary semaphore has no value: all zero
    check(cuWaitExternalSemaphoresAsync(&semaphore_, &params, 1, stream), "wait for Vulkan");
  }
  void signal(CUstream stream) const {
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params{};
    check(cuSignalExternalSemaphoresAsync(&semaphore_, &params, 1, stream), "signal to Vulkan");
  }

 private:
  CUexternalSemaphore semaphore_ = nullptr;
};
// snippet: end
