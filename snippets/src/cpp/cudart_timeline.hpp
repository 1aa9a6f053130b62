#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "check_cudart.hpp"
#include "unique_fd.hpp"

// snippet: begin seam-cudart-timeline | Import a Vulkan timeline semaphore into CUDA (runtime API), to wait and to signal
// snippet: placeholders ImportedTimeline
class ImportedTimeline {
 public:
  explicit ImportedTimeline(UniqueFd fd) {
    cudaExternalSemaphoreHandleDesc handle{};
    handle.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
    handle.handle.fd = fd.get();
    check(cudaImportExternalSemaphore(&semaphore_, &handle), "cudaImportExternalSemaphore");
    fd.release();  // the transfer point: CUDA adopted the fd; on failure UniqueFd closes it
  }
  ImportedTimeline(const ImportedTimeline&) = delete;
  ImportedTimeline& operator=(const ImportedTimeline&) = delete;
  // Synchronise the streams that use it first.
  ~ImportedTimeline() { cudaDestroyExternalSemaphore(semaphore_); }

  // Work enqueued on `stream` later runs after Vulkan has signalled `value`. The host goes on.
  void wait(cudaStream_t stream, uint64_t value) const {
    cudaExternalSemaphoreWaitParams params{};
    params.params.fence.value = value;
    check(cudaWaitExternalSemaphoresAsync(&semaphore_, &params, 1, stream), "wait for Vulkan");
  }

  // `value` must be greater than every value signalled before: one owner counts.
  void signal(cudaStream_t stream, uint64_t value) const {
    cudaExternalSemaphoreSignalParams params{};
    params.params.fence.value = value;
    check(cudaSignalExternalSemaphoresAsync(&semaphore_, &params, 1, stream), "signal to Vulkan");
  }

 private:
  cudaExternalSemaphore_t semaphore_ = nullptr;
};
// snippet: end
