#pragma once
// The ingest pass as Vulkan compute: extremes and counts of a frame that lies in a storage buffer. See cpu_ingest.hpp
// for its twin.

#include <memory>

#include "gpu/commands.hpp"
#include "preview/frame.hpp"

namespace seamscope {

class GpuIngest {
 public:
  static Result<std::unique_ptr<GpuIngest>> create(std::shared_ptr<gpu::Device> device);

  // Waits for the result. The frame starts `offset` bytes into `frame` (a multiple of 4). Not thread-safe.
  Result<FrameStats> run(const gpu::Buffer& frame, const FrameDesc& desc, uint64_t offset = 0);

 private:
  explicit GpuIngest(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}

  std::shared_ptr<gpu::Device> device_;
  std::shared_ptr<gpu::ComputePipeline> pipeline_;
  std::unique_ptr<gpu::Commands> commands_;
  std::shared_ptr<gpu::Buffer> results_;
};

}  // namespace seamscope
