#pragma once

#include <cuda.h>

#include <cstdint>

#include "check_cuda.hpp"
#include "unique_fd.hpp"

// snippet: begin seam-cu-timeline | Import a Vulkan timeline semaphore into CUDA (driver API), to wait and to signal
// snippet: placeholders ImportedTimeline
class ImportedTimeline {
 public:
  explicit ImportedTimeline(UniqueFd fd) {
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC handle{};
    handle.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    handle.handle.fd = fd.get();
    check(cuImportExternalSemaphore(&semaphore_, &handle), "cuImportExternalSemaphore");
    fd.release();  // the transfer point: CUDA adopted the fd; on failure UniqueFd closes it
  }
  ImportedTimeline(const ImportedTimeline&) = delete;
  ImportedTimeline& operator=(const ImportedTimeline&) = delete;
  // Synchronise the streams that use it first.
  ~ImportedTimeline() { cuDestroyExternalSemaphore(semaphore_); }

  // Work enqueued on `stream` later runs after Vulkan has signalled `value`. The host goes on.
  void wait(CUstream stream, uint64_t value) const {
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS params{};
    params.params.fence.value = value;
    check(cuWaitExternalSemaphoresAsync(&semaphore_, &params, 1, stream), "wait for Vulkan");
  }

  // `value` must be greater than every value signalled before: one owner counts.
  void signal(CUstream stream, uint64_t value) const {
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params{};
    params.params.fence.value = value;
    check(cuSignalExternalSemaphoresAsync(&semaphore_, &params, 1, stream), "signal to Vulkan");
  }

 private:
  CUexternalSemaphore semaphore_ = nullptr;
};
// snippet: end
