#pragma once
// A Vulkan timeline semaphore as CUDA sees it.

#include <memory>
#include <string>

#include "interop/cuda_context.hpp"
#include "interop/handover.hpp"

namespace seamscope::interop {

class CudaTimeline {
 public:
  // The fd is consumed on success only.
  static Result<std::unique_ptr<CudaTimeline>> import(std::shared_ptr<CudaContext> cuda, Ledger& ledger,
                                                      const std::string& label, MemoryHandover handover);
  ~CudaTimeline() { destroy(); }
  CudaTimeline(const CudaTimeline&) = delete;
  CudaTimeline& operator=(const CudaTimeline&) = delete;

  // Work enqueued later on `stream` runs after `value` has been signalled. The host goes on.
  Result<void> wait(cuda::CUstream stream, uint64_t value) const;
  // `value` must be greater than every value signalled before.
  Result<void> signal(cuda::CUstream stream, uint64_t value) const;
  LedgerId id() const { return id_; }
  // Idempotent; the streams that use it must be idle.
  void destroy();

 private:
  CudaTimeline(std::shared_ptr<CudaContext> cuda, Ledger& ledger) : cuda_(std::move(cuda)), ledger_(ledger) {}

  std::shared_ptr<CudaContext> cuda_;
  Ledger& ledger_;
  cuda::CUexternalSemaphore semaphore_ = nullptr;
  LedgerId id_ = 0;
};

}  // namespace seamscope::interop
