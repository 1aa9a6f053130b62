#pragma once
// The distribution of a frame's values as Vulkan compute. histogram.hpp is its twin.

#include <array>
#include <map>
#include <memory>

#include "gpu/staged_buffer.hpp"
#include "preview/frame_info.hpp"

namespace seamscope {

class GpuHistogram {
 public:
  // `window` bounds the bytes bound at once; 0 = what the device can bind.
  static Result<std::unique_ptr<GpuHistogram>> create(std::shared_ptr<gpu::Device> device, uint64_t window = 0);

  // Waits for the result. The frame starts `offset` bytes into `frame`, and earlier submits to the device's compute
  // queue may have written it. Not thread-safe.
  Result<Histogram> run(const gpu::Buffer& frame, const FrameDesc& desc, const std::array<double, 2>& span,
                        uint64_t offset = 0);

 private:
  explicit GpuHistogram(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}
  Result<gpu::ComputePipeline*> pipeline(Dtype dtype, bool aligned);
  Result<void> record(const gpu::Buffer& frame, const FrameDesc& desc, const std::array<double, 2>& span,
                      uint64_t offset);

  std::shared_ptr<gpu::Device> device_;
  uint64_t limit_ = 0;
  std::map<uint32_t, std::shared_ptr<gpu::ComputePipeline>> pipelines_;
  std::unique_ptr<gpu::Commands> commands_;
  gpu::StagedBuffer results_;
};

}  // namespace seamscope
