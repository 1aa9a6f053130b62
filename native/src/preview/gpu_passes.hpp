#pragma once
// Both passes on the device that holds the frames. The view pass takes frames of host memory too and uploads them.

#include "preview/gpu_histogram.hpp"
#include "preview/gpu_ingest.hpp"
#include "preview/gpu_upload.hpp"
#include "preview/gpu_view.hpp"
#include "preview/passes.hpp"
#include "preview/thread_pool.hpp"

namespace seamscope {

class GpuPasses final : public PreviewPasses {
 public:
  static Result<std::unique_ptr<PreviewPasses>> create(std::shared_ptr<gpu::Device> device);

  std::string name() const override { return "Vulkan compute passes"; }
  Result<FrameStats> ingest(const OutputRef& output) override;
  Result<void> view(const OutputRef& output, const ViewParams& params, const FrameStats& stats,
                    Picture& picture) override;
  bool can_view(const OutputRef& output, const ViewParams& params) const override {
    return view_->reaches(output.desc, params);
  }
  Result<Histogram> histogram(const OutputRef& output, const std::array<double, 2>& span) override;

 private:
  Result<const gpu::Buffer*> uploaded(const OutputRef& output);

  std::shared_ptr<gpu::Device> device_;
  std::unique_ptr<GpuIngest> ingest_;
  std::unique_ptr<GpuHistogram> histogram_;  // nullptr until asked for
  std::unique_ptr<GpuView> view_;
  std::unique_ptr<GpuUpload> upload_;  // nullptr until a frame comes from host memory
  ThreadPool copiers_{4};              // one thread moves a large picture slower than the bus brings it
};

}  // namespace seamscope
