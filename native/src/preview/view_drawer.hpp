#pragma once
// Draws a view's picture by the pass that is cheaper in its case. The other one is measured on a thread of its own,
// with passes of its own, so that no picture ever waits for a measurement.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/clock.hpp"
#include "preview/aside.hpp"
#include "preview/frame_info.hpp"
#include "preview/passes.hpp"
#include "preview/view_choice.hpp"

namespace seamscope {

class ViewDrawer {
 public:
  struct Means {
    // Made when first used: for pictures, and for measuring while pictures are drawn.
    std::function<PreviewPasses&()> host;
    std::function<std::unique_ptr<PreviewPasses>()> spare_host;
    // Passes on the device that can read the frame; nullptr: there are none. Called on the thread aside.
    std::function<std::unique_ptr<PreviewPasses>(const Frame&, uint32_t output)> device;
    std::function<double()> now = now_ms;
  };
  // `device`: of the source, nullptr where it has none; it draws the frames that lie there until something else is
  // known to be cheaper. Its view pass is called by this object alone.
  ViewDrawer(PreviewPasses* device, Means means);
  // Waits for the measurement that runs: one picture at most.
  ~ViewDrawer() { closing_ = true; }

  struct Job {
    std::shared_ptr<const Frame> frame;
    OutputRef output;
    const ViewParams& params;
    const FrameStats& stats;
    bool may_upload = false;  // there is a device for frames that lie in host memory
  };
  Result<Drawn> draw(const Job& job, Picture& picture);

  // For tests: until no measurement runs.
  void wait() const { aside_.wait(); }

 private:
  // What a look needs, with everything it refers to.
  struct Look;

  Result<Drawn> draw_by(ViewPass pass, const Job& job, const ViewCase& view, PreviewPasses& passes, Picture& picture);
  Result<Drawn> draw_on_host(const Job& job, Picture& picture);
  void start_look(const Job& job, const ViewCase& view, ViewPass pass);
  void look(Look& look);
  PreviewPasses* passes_to_look_with(const Look& look);
  Drawn told(ViewPass pass, double ms, const ViewCase& view) const;

  Means means_;
  const ViewPass usual_;
  mutable std::mutex mutex_;
  ViewChoice choice_;
  std::mutex device_busy_;  // held while the device's view pass runs
  PreviewPasses* device_;   // under mutex_; from then on it stays
  std::unique_ptr<PreviewPasses> own_device_, spare_host_;
  std::atomic<bool> closing_{false};
  Picture looked_;  // of the thread aside
  Aside aside_;     // last: its work uses the others
};

// `frame` is asked for host bytes only where it has them already.
ViewCase view_case(const OutputRef& output, const ViewParams& params);

}  // namespace seamscope
