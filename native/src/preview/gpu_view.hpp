#pragma once
// The view pass as Vulkan compute: a panel's rectangle of a frame as an RGBA8 picture. See cpu_view.hpp for its twin.

#include <memory>
#include <span>

#include "gpu/commands.hpp"
#include "preview/frame.hpp"

namespace seamscope {

class GpuView {
 public:
  static Result<std::unique_ptr<GpuView>> create(std::shared_ptr<gpu::Device> device);

  // Waits for the picture: width * height * 4 bytes in host-cached memory that stay valid until the next run of this
  // object. The frame starts `offset` bytes into `frame` (a multiple of 4). `stats` gives the range when the parameters
  // have none.
  Result<std::span<const uint8_t>> run(const gpu::Buffer& frame, const FrameDesc& desc, const ViewParams& params,
                                       const FrameStats& stats, uint64_t offset = 0);

 private:
  explicit GpuView(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}

  std::shared_ptr<gpu::Device> device_;
  std::shared_ptr<gpu::ComputePipeline> pipeline_;
  std::unique_ptr<gpu::Commands> commands_;
  std::shared_ptr<gpu::Buffer> picture_, host_;
};

}  // namespace seamscope
