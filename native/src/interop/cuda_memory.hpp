#pragma once
// Memory as CUDA sees it: imported from Vulkan, or allocated here and exported (inverted ownership).

#include <memory>
#include <string>

#include "interop/cuda_context.hpp"
#include "interop/handover.hpp"

namespace seamscope::interop {

class CudaMemory {
 public:
  virtual ~CudaMemory() = default;
  virtual void destroy() = 0;  // idempotent; the stream must be idle
  virtual LedgerId id() const = 0;
  // A linear view; 0 for an image.
  virtual cuda::CUdeviceptr pointer() const = 0;
  // Of an image; 0 for a buffer.
  virtual cuda::CUsurfObject surface() const { return 0; }
};

// The fd is consumed on success only.
Result<std::unique_ptr<CudaMemory>> import_into_cuda(std::shared_ptr<CudaContext> cuda, Ledger& ledger,
                                                     FrameShape shape, Resource resource, const std::string& label,
                                                     MemoryHandover handover);

// CUDA virtual memory with a POSIX fd handle, mapped read-write.
class CudaAllocation : public CudaMemory {
 public:
  static Result<std::unique_ptr<CudaAllocation>> create(std::shared_ptr<CudaContext> cuda, Ledger& ledger,
                                                        uint64_t bytes, const std::string& label);
  ~CudaAllocation() override { destroy(); }
  // A new fd each time.
  Result<MemoryHandover> export_memory();
  void destroy() override;
  LedgerId id() const override { return id_; }
  cuda::CUdeviceptr pointer() const override { return pointer_; }

 private:
  CudaAllocation(std::shared_ptr<CudaContext> cuda, Ledger& ledger) : cuda_(std::move(cuda)), ledger_(ledger) {}
  Result<void> allocate(uint64_t bytes, const std::string& label);

  std::shared_ptr<CudaContext> cuda_;
  Ledger& ledger_;
  cuda::CUmemGenericAllocationHandle handle_ = 0;
  cuda::CUdeviceptr pointer_ = 0;
  uint64_t size_ = 0;
  bool created_ = false, mapped_ = false;
  LedgerId id_ = 0;
};

}  // namespace seamscope::interop
