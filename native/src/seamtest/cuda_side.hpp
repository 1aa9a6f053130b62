#pragma once
// The partner's side on CUDA: kernels on one stream write the pattern into the slots, or check it.

#include <array>
#include <memory>

#include "interop/cuda_memory.hpp"
#include "interop/cuda_timeline.hpp"
#include "seamtest/cell.hpp"
#include "seamtest/side.hpp"

namespace seamscope::seamtest {

class CudaSide : public Partner {
 public:
  static Result<std::unique_ptr<CudaSide>> create(std::shared_ptr<interop::CudaContext> cuda, interop::Ledger& ledger,
                                                  const Cell& cell);
  ~CudaSide() override;

  Result<void> import_slots(std::vector<interop::MemoryHandover> slots) override;
  Result<std::vector<interop::MemoryHandover>> allocate_slots(uint32_t count) override;
  Result<void> import_timelines(interop::MemoryHandover ready, interop::MemoryHandover released) override;
  void release_timelines() override;

  Result<void> write(uint32_t slot, uint64_t frame, FrameSync sync) override;
  Result<void> check(uint32_t slot, uint64_t frame, uint64_t expected, FrameSync sync) override;
  Result<void> wait_done(uint64_t frame) override;
  Result<std::vector<uint32_t>> matches() override;

  // For the control run that stages through the host, and for slots that are only of CUDA's own.
  Result<void> upload(uint32_t slot, const void* bytes);
  Result<void> synchronize();
  Result<bool> is_done(uint64_t frame) const;
  // For the teardown children, which destroy in a wrong order on purpose.
  std::vector<std::unique_ptr<interop::CudaMemory>>& slots() { return slots_; }
  cuda::CUstream stream() const { return stream_; }

 private:
  CudaSide(std::shared_ptr<interop::CudaContext> cuda, interop::Ledger& ledger, const Cell& cell)
      : cuda_(std::move(cuda)), ledger_(ledger), cell_(cell) {}
  Result<void> make_stream();
  Result<void> make_kernels();
  Result<void> launch(cuda::CUfunction kernel, void** parameters);
  Result<void> before(const interop::CudaTimeline* timeline, uint64_t frame, FrameSync sync);
  Result<void> after(const interop::CudaTimeline* timeline, uint64_t frame, FrameSync sync);
  Result<void> launch_write(uint32_t slot, uint32_t frame);
  Result<void> launch_check(uint32_t slot, uint32_t expected, cuda::CUdeviceptr total);

  std::shared_ptr<interop::CudaContext> cuda_;
  interop::Ledger& ledger_;
  Cell cell_;
  cuda::CUstream stream_ = nullptr;
  std::array<cuda::CUevent, kInFlight> events_{};
  std::array<bool, kInFlight> recorded_{};
  cuda::CUmodule module_ = nullptr;
  cuda::CUfunction write_ = nullptr, check_ = nullptr;
  cuda::CUdeviceptr totals_ = 0;
  std::vector<std::unique_ptr<interop::CudaMemory>> slots_;
  std::unique_ptr<interop::CudaTimeline> ready_, released_;
};

}  // namespace seamscope::seamtest
