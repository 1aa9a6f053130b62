#pragma once
// Both passes in threaded C++, on the host bytes of a frame. Faster than Vulkan compute on CPU drivers, and they need
// no driver at all.

#include "preview/passes.hpp"
#include "preview/thread_pool.hpp"

namespace seamscope {

class CpuPasses final : public PreviewPasses {
 public:
  // `threads` counts the calling thread; 0 = one a core.
  explicit CpuPasses(unsigned threads = 0) : pool_(threads) {}

  std::string name() const override;
  Result<FrameStats> ingest(const OutputRef& output) override;
  Result<void> view(const OutputRef& output, const ViewParams& params, const FrameStats& stats,
                    Picture& picture) override;
  Result<Histogram> histogram(const OutputRef& output, const std::array<double, 2>& span) override;

  ThreadPool& pool() { return pool_; }

 private:
  ThreadPool pool_;
};

}  // namespace seamscope
