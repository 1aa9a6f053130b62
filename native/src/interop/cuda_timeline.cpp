#include "interop/cuda_timeline.hpp"

#include <utility>

namespace seamscope::interop {

Result<std::unique_ptr<CudaTimeline>> CudaTimeline::import(std::shared_ptr<CudaContext> cuda, Ledger& ledger,
                                                           const std::string& label, MemoryHandover handover) {
  std::unique_ptr<CudaTimeline> timeline(new CudaTimeline(std::move(cuda), ledger));
  cuda::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc{};
  desc.type = cuda::CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
  desc.handle.fd = handover.fd.get();
  const CudaContext& context = *timeline->cuda_;
  auto done =
      context.check("cuImportExternalSemaphore", context.api().cuImportExternalSemaphore(&timeline->semaphore_, &desc));
  if (!done) return done.error();
  handover.consumed();  // the transfer point: CUDA owns the fd from here on
  std::vector<LedgerId> needs;
  if (handover.exporter) needs.push_back(handover.exporter);
  timeline->id_ = ledger.acquire("CUDA", "import of timeline \"" + label + "\"", needs);
  return timeline;
}

Result<void> CudaTimeline::wait(cuda::CUstream stream, uint64_t value) const {
  cuda::CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS params{};
  params.params.fence = value;
  const auto result = cuda_->api().cuWaitExternalSemaphoresAsync(&semaphore_, &params, 1, stream);
  return cuda_->check("cuWaitExternalSemaphoresAsync", result);
}

Result<void> CudaTimeline::signal(cuda::CUstream stream, uint64_t value) const {
  cuda::CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params{};
  params.params.fence = value;
  const auto result = cuda_->api().cuSignalExternalSemaphoresAsync(&semaphore_, &params, 1, stream);
  return cuda_->check("cuSignalExternalSemaphoresAsync", result);
}

void CudaTimeline::destroy() {
  if (semaphore_) cuda_->api().cuDestroyExternalSemaphore(std::exchange(semaphore_, nullptr));
  ledger_.release(id_);
}

}  // namespace seamscope::interop
