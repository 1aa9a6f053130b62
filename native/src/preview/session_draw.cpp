// The picture of a view: the frame itself, its difference from a reference, or both side by side.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "preview/gpu_passes.hpp"
#include "preview/history.hpp"
#include "preview/host_output.hpp"
#include "preview/session.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

std::unique_ptr<PreviewPasses> passes_on(std::shared_ptr<gpu::Device> device) {
  if (!device) return nullptr;
  auto made = GpuPasses::create(std::move(device));
  return made ? *std::move(made) : nullptr;
}

}  // namespace

ViewDrawer::Means Session::drawing_means() {
  ViewDrawer::Means means;
  means.host = [this]() -> PreviewPasses& { return host_passes(); };
  means.spare_host = [] { return std::make_unique<CpuPasses>(); };
  means.device = [this](const Frame& frame, uint32_t output) {
    const gpu::Buffer* buffer = frame.buffer(output);
    return passes_on(buffer ? buffer->owner() : source_->spare_device());
  };
  return means;
}

// Frames of host memory that a GPU might draw: new ones, not those that were kept.
bool Session::may_upload(const OutputRef& output) const {
  return !output.frame.buffer(output.index) && !dynamic_cast<const KeptFrame*>(&output.frame) &&
         frame_bytes(output.desc) <= kMostUpload && source_->spare_device();
}

// `subject` becomes what is drawn, where that is not the frame itself.
Result<void> Session::draw(const Task& task, Subject& subject, FrameInfo& info, Picture& picture) {
  const auto other = task.params.compare == CompareMode::Off ? nullptr : reference(task.params.reference);
  if (task.params.compare != CompareMode::Off && !other) info.problem = "The reference is no longer kept.";
  if (other && task.params.compare == CompareMode::Difference) {
    auto difference = this->difference(task, subject, *other);
    if (difference)
      subject = *std::move(difference);
    else
      info.problem = difference.error().message;
  }
  const auto stats = stats_of(subject, task.output);
  if (!stats) return stats.error();
  const Frame& frame = *subject.shown->frame;
  const OutputRef output{frame, task.output, subject.desc, subject.offset};
  const auto drawn = drawer_->draw({subject.shown->frame, output, task.params, **stats, may_upload(output)}, picture);
  if (!drawn) return drawn.error();
  info.drawn = *drawn;
  if (!other || task.params.compare != CompareMode::Swipe) return {};
  return draw_swipe(task, subject, other, picture);
}

// The reference over the left part of the picture, in the range of the frame and at the same place of the image.
Result<void> Session::draw_swipe(const Task& task, const Subject& subject, const std::shared_ptr<ShownFrame>& reference,
                                 Picture& picture) {
  const auto& kept = static_cast<const KeptFrame&>(*reference->frame);
  Subject other{reference, *kept.desc(kept.output())};
  other.batch = other.desc.batches < 2 ? 0 : std::min(task.params.batch, other.desc.batches - 1);
  other.offset = batch_offset(other.desc, other.batch);
  const auto stats = stats_of(other, kept.output());
  const auto range = stats_of(subject, task.output);
  if (!stats) return stats.error();
  if (!range) return range.error();
  ViewParams params = task.params;
  if (!params.range) params.range = {{(*range)->min, (*range)->max}};
  const double across = static_cast<double>(other.desc.width) / std::max(subject.desc.width, 1u),
               down = static_cast<double>(other.desc.height) / std::max(subject.desc.height, 1u);
  params.x *= across;
  params.rect_w *= across;
  params.y *= down;
  params.rect_h *= down;
  Picture left;
  const OutputRef output{kept, kept.output(), other.desc, other.offset};
  if (auto done = host_passes().view(output, params, **stats, left); !done) return done;
  const auto columns = static_cast<size_t>(std::lround(std::clamp(params.split, 0.0, 1.0) * picture.width));
  for (size_t y = 0; y < picture.height; ++y)
    std::memcpy(&picture.rgba[y * picture.width * 4], &left.rgba[y * picture.width * 4], columns * 4);
  return {};
}

}  // namespace seamscope
