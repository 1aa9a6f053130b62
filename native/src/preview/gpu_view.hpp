#pragma once
// The view pass as Vulkan compute: a panel's rectangle of a frame as an RGBA8 picture. cpu_view.hpp is its twin:
// identifiers and overlays are equal, colours within 2 of 255.

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "gpu/staged_buffer.hpp"
#include "preview/axis_taps.hpp"
#include "preview/frame.hpp"

namespace seamscope {

class GpuView {
 public:
  // `window` bounds the bytes bound at once; 0 = what the device can bind.
  static Result<std::unique_ptr<GpuView>> create(std::shared_ptr<gpu::Device> device, uint64_t window = 0);

  // Waits for the picture: params.width * params.height * 4 bytes in host-cached memory that stay valid until the next
  // run of this object. The frame starts `offset` bytes into `frame`, and earlier submits to the device's compute queue
  // may have written it. `stats` gives the range when the parameters have none. Not thread-safe.
  Result<std::span<const std::byte>> run(const gpu::Buffer& frame, const FrameDesc& desc, const ViewParams& params,
                                         const FrameStats& stats, uint64_t offset = 0);

  // Whether the texels of one picture row fit a binding.
  bool reaches(const FrameDesc& desc, const ViewParams& params) const;

 private:
  struct Job;  // one run

  explicit GpuView(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}
  Result<void> prepare(const FrameDesc& desc, const ViewParams& params);
  Result<gpu::ComputePipeline*> pipeline(Dtype dtype, bool aligned, bool ids);
  Result<void> record(const Job& job);
  Result<uint32_t> record_band(const Job& job, uint32_t first_row, const gpu::ComputePipeline& shader);

  std::shared_ptr<gpu::Device> device_;
  uint64_t limit_ = 0;
  std::map<uint32_t, std::shared_ptr<gpu::ComputePipeline>> pipelines_;
  std::unique_ptr<gpu::Commands> commands_;
  std::vector<AxisTap> taps_;  // the columns', then the rows': what taps_buffer_ holds
  bool taps_changed_ = false;
  gpu::StagedBuffer taps_buffer_, picture_;
};

}  // namespace seamscope
