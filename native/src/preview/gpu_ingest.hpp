#pragma once
// The ingest pass as Vulkan compute: extremes and counts of a frame that lies in a storage buffer. cpu_ingest.hpp is
// its twin: counts are equal, extremes too but for 64-bit types, which are rounded to float.

#include <map>
#include <memory>

#include "gpu/staged_buffer.hpp"
#include "preview/frame.hpp"

namespace seamscope {

class GpuIngest {
 public:
  // `window` bounds the bytes bound at once; 0 = what the device can bind.
  static Result<std::unique_ptr<GpuIngest>> create(std::shared_ptr<gpu::Device> device, uint64_t window = 0);

  // Waits for the result. The frame starts `offset` bytes into `frame`, and earlier submits to the device's compute
  // queue may have written it. Not thread-safe.
  Result<FrameStats> run(const gpu::Buffer& frame, const FrameDesc& desc, uint64_t offset = 0);

 private:
  explicit GpuIngest(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}
  Result<gpu::ComputePipeline*> pipeline(Dtype dtype, bool aligned);
  Result<void> record(const gpu::Buffer& frame, const FrameDesc& desc, uint64_t offset);

  std::shared_ptr<gpu::Device> device_;
  uint64_t limit_ = 0;
  std::map<uint32_t, std::shared_ptr<gpu::ComputePipeline>> pipelines_;
  std::unique_ptr<gpu::Commands> commands_;
  gpu::StagedBuffer results_;
};

}  // namespace seamscope
