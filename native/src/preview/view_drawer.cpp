#include "preview/view_drawer.hpp"

#include <cmath>
#include <utility>

#include "preview/frame_source.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

uint32_t log2_of(double value) {
  return value < 1 ? 0 : static_cast<uint32_t>(std::ilogb(value));
}

FramePlace place_of(const OutputRef& output) {
  if (!output.frame.buffer(output.index)) return FramePlace::Host;
  if (output.frame.shares_gpu()) return FramePlace::Shared;
  return output.frame.on_host(output.index) ? FramePlace::Both : FramePlace::Device;
}

}  // namespace

struct ViewDrawer::Look {
  std::shared_ptr<const Frame> frame;
  uint32_t index;
  FrameDesc desc;
  uint64_t offset;
  ViewParams params;
  FrameStats stats;
  ViewCase view;
  ViewPass pass;

  OutputRef output() const { return {*frame, index, desc, offset}; }
};

ViewCase view_case(const OutputRef& output, const ViewParams& params) {
  const double width = std::min(params.rect_w, static_cast<double>(output.desc.width)),
               height = std::min(params.rect_h, static_cast<double>(output.desc.height));
  return {place_of(output),        output.desc.dtype,
          shows_ids(params),       log2_of(static_cast<double>(frame_bytes(output.desc))),
          log2_of(width * height), log2_of(static_cast<double>(params.width) * params.height)};
}

ViewDrawer::ViewDrawer(PreviewPasses* device, Means means)
    : means_(std::move(means)), usual_(device ? ViewPass::Device : ViewPass::Host), device_(device) {}

Result<Drawn> ViewDrawer::draw(const Job& job, Picture& picture) {
  const bool lies_there = job.output.frame.buffer(job.output.index) != nullptr;
  if (!lies_there && !job.may_upload) return draw_on_host(job, picture);
  const ViewCase view = view_case(job.output, job.params);
  std::unique_lock lock(mutex_);
  PreviewPasses* device = device_;
  const ViewChoice::Plan plan = choice_.plan(view, lies_there ? usual_ : ViewPass::Host);
  lock.unlock();
  if (device && !device->can_view(job.output, job.params)) return draw_on_host(job, picture);

  std::unique_lock busy(device_busy_, std::defer_lock);
  const bool by_device = plan.pass == ViewPass::Device && device && busy.try_lock();
  auto drawn = by_device ? draw_by(ViewPass::Device, job, view, *device, picture)
                         : draw_by(ViewPass::Host, job, view, means_.host(), picture);
  if (busy) busy.unlock();
  if (!drawn && by_device) return draw_by(ViewPass::Host, job, view, means_.host(), picture);
  if (drawn && plan.look) start_look(job, view, other_pass(plan.pass));
  return drawn;
}

Result<Drawn> ViewDrawer::draw_by(ViewPass pass, const Job& job, const ViewCase& view, PreviewPasses& passes,
                                  Picture& picture) {
  const double begin = means_.now();
  const auto done = passes.view(job.output, job.params, job.stats, picture);
  const double ms = means_.now() - begin;
  const std::lock_guard lock(mutex_);
  if (!done) {
    choice_.failed(view, pass);
    return done.error();
  }
  choice_.drew(view, pass, ms);
  return told(pass, ms, view);
}

Result<Drawn> ViewDrawer::draw_on_host(const Job& job, Picture& picture) {
  const double begin = means_.now();
  if (auto done = means_.host().view(job.output, job.params, job.stats, picture); !done) return done.error();
  return Drawn{ViewPass::Host, means_.now() - begin, std::nullopt};
}

Drawn ViewDrawer::told(ViewPass pass, double ms, const ViewCase& view) const {
  return {pass, ms, choice_.cost(view, other_pass(pass))};
}

void ViewDrawer::start_look(const Job& job, const ViewCase& view, ViewPass pass) {
  if (!aside_.is_idle()) return;
  auto wanted = std::make_shared<Look>(
      Look{job.frame, job.output.index, job.output.desc, job.output.offset, job.params, job.stats, view, pass});
  aside_.start([this, wanted] { look(*wanted); });
}

void ViewDrawer::look(Look& look) {
  std::unique_lock busy(device_busy_, std::defer_lock);
  if (look.pass == ViewPass::Device) busy.lock();
  PreviewPasses* passes = passes_to_look_with(look);
  bool done = passes && passes->can_view(look.output(), look.params);
  // What the device compiles and allocates for its first picture it has for all others.
  if (done && look.pass == ViewPass::Device) done = bool(passes->view(look.output(), look.params, look.stats, looked_));
  if (closing_) return;
  const double begin = means_.now();
  if (done) done = bool(passes->view(look.output(), look.params, look.stats, looked_));
  const double ms = means_.now() - begin;
  const std::lock_guard lock(mutex_);
  if (done)
    choice_.looked(look.view, look.pass, ms);
  else
    choice_.failed(look.view, look.pass);
}

PreviewPasses* ViewDrawer::passes_to_look_with(const Look& look) {
  if (look.pass == ViewPass::Host) {
    if (!spare_host_) spare_host_ = means_.spare_host();
    return spare_host_.get();
  }
  if (device_) return device_;
  own_device_ = means_.device(*look.frame, look.index);
  const std::lock_guard lock(mutex_);
  return device_ = own_device_.get();
}

}  // namespace seamscope
