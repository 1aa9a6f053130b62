#include "preview/gpu_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "preview/gpu_view_push.hpp"
#include "preview/gpu_window.hpp"
#include "preview/texel.hpp"
#include "view_comp.h"

namespace seamscope {
namespace {

constexpr uint32_t kGroupWidth = 16, kGroupHeight = 8;

uint32_t groups(uint32_t pixels, uint32_t size) {
  return (pixels + size - 1) / size;
}

// Grows a buffer; what it held is lost.
Result<void> reserve(gpu::StagedBuffer& buffer, const std::shared_ptr<gpu::Device>& device, uint64_t bytes,
                     gpu::MemoryUse staging) {
  if (buffer.size() >= bytes) return {};
  auto made = gpu::StagedBuffer::create(device, bytes, staging);
  if (!made) return made.error();
  buffer = std::move(*made);
  return {};
}

bool equal(const std::vector<AxisTap>& a, const std::vector<AxisTap>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(AxisTap)) == 0;
}

// Rows of the frame in memory that a band reads: [first, end).
struct MemoryRows {
  uint64_t first = UINT64_MAX, end = 0;

  MemoryRows with(const FrameDesc& desc, const AxisTap& tap) const {
    if (tap.count == 0) return *this;
    const auto top = static_cast<uint64_t>(tap.first), bottom = top + static_cast<uint64_t>(tap.count);
    const uint64_t low = desc.bottom_up ? desc.height - bottom : top;
    return {std::min(first, low), std::max(end, low + (bottom - top))};
  }
  uint64_t count() const { return end > first ? end - first : 0; }
};

}  // namespace

struct GpuView::Job {
  const gpu::Buffer& frame;
  const FrameDesc& desc;
  uint64_t offset;
  ViewPush push;
  bool ids;
};

Result<std::unique_ptr<GpuView>> GpuView::create(std::shared_ptr<gpu::Device> device, uint64_t window) {
  std::unique_ptr<GpuView> view(new GpuView(device));
  view->limit_ = window_limit(*device, window);
  auto commands = gpu::Commands::create(device, device->compute());
  if (!commands) return commands.error();
  view->commands_ = std::move(*commands);
  return view;
}

Result<std::span<const std::byte>> GpuView::run(const gpu::Buffer& frame, const FrameDesc& desc,
                                                const ViewParams& params, const FrameStats& stats, uint64_t offset) {
  const uint64_t bytes = uint64_t{params.width} * params.height * 4;
  if (bytes == 0) return std::span<const std::byte>();
  if (auto inside = check_frame(frame, desc, offset); !inside) return inside.error();
  if (auto prepared = prepare(desc, params); !prepared) return prepared.error();
  if (auto begun = commands_->begin(); !begun) return begun.error();
  commands_->barrier();
  if (taps_changed_) taps_buffer_.to_device(*commands_, taps_.size() * sizeof(AxisTap));
  const Job job{frame, desc, offset, view_push(desc, params, stats), shows_ids(params)};
  if (auto recorded = record(job); !recorded) return recorded.error();
  picture_.to_host(*commands_, bytes);
  if (auto done = commands_->submit_and_wait(); !done) return done.error();
  taps_changed_ = false;
  if (auto fresh = picture_.invalidate(); !fresh) return fresh.error();
  return std::span<const std::byte>(picture_.host().first(bytes));
}

bool GpuView::reaches(const FrameDesc& desc, const ViewParams& params) const {
  FrameDesc one_row = desc;
  one_row.channels = one_row.height = 1;
  const double step = params.rect_h / params.height;
  const double rows = step <= 1 ? 1 : std::min(std::ceil(step) + 1, static_cast<double>(desc.height));
  const auto row_bytes = static_cast<double>(frame_bytes(one_row));
  return (rows - 1) * static_cast<double>(desc.row_stride) + row_bytes <= static_cast<double>(limit_);
}

// Nothing of this object is in flight: run() has waited.
Result<void> GpuView::prepare(const FrameDesc& desc, const ViewParams& params) {
  const bool empty = frame_bytes(desc) == 0;
  auto taps = axis_taps(params.width, params.x, params.rect_w, empty ? 0 : desc.width, false);
  const auto rows = axis_taps(params.height, params.y, params.rect_h, empty ? 0 : desc.height, params.flip_y);
  taps.insert(taps.end(), rows.begin(), rows.end());
  const uint64_t bytes = taps.size() * sizeof(AxisTap);
  if (!equal(taps, taps_)) {
    taps_.clear();  // until the new ones are in place
    if (auto grown = reserve(taps_buffer_, device_, bytes, gpu::MemoryUse::Upload); !grown) return grown;
    std::memcpy(taps_buffer_.host().data(), taps.data(), bytes);
    taps_ = std::move(taps);
    taps_changed_ = true;
  }
  return reserve(picture_, device_, uint64_t{params.width} * params.height * 4, gpu::MemoryUse::ReadBack);
}

Result<gpu::ComputePipeline*> GpuView::pipeline(Dtype dtype, bool aligned, bool ids) {
  const uint32_t constants[] = {static_cast<uint32_t>(dtype), aligned, ids};
  auto& made = pipelines_[constants[0] * 4 + constants[1] * 2 + constants[2]];
  if (made) return made.get();
  auto pipeline = gpu::ComputePipeline::create(device_, {view_comp_spv, 0, 6, sizeof(ViewPush), constants});
  if (!pipeline) return pipeline.error();
  made = std::move(*pipeline);
  return made.get();
}

Result<void> GpuView::record(const Job& job) {
  auto shader = pipeline(job.desc.dtype, words_aligned(job.desc, job.offset), job.ids);
  if (!shader) return shader.error();
  for (uint32_t row = 0; row < job.push.height;) {
    auto rows = record_band(job, row, **shader);
    if (!rows) return rows.error();
    row += *rows;
  }
  return {};
}

// Records as many picture rows from `first_row` on as one window a channel serves; returns their number.
Result<uint32_t> GpuView::record_band(const Job& job, uint32_t first_row, const gpu::ComputePipeline& shader) {
  const FrameDesc& desc = job.desc;
  const AxisTap* row_taps = taps_.data() + job.push.width;
  FrameDesc one_row = desc;
  one_row.channels = 1;
  one_row.height = 1;
  const uint64_t row_bytes = frame_bytes(one_row);
  MemoryRows rows;
  uint32_t end = first_row;
  for (; end < job.push.height; ++end) {
    const MemoryRows more = rows.with(desc, row_taps[end]);
    if (more.count() && (more.count() - 1) * desc.row_stride + row_bytes > limit_) break;
    rows = more;
  }
  if (end == first_row)
    return row_too_large(row_bytes + rows.with(desc, row_taps[end]).count() * desc.row_stride, limit_);

  ViewPush push = job.push;
  push.first_row = first_row;
  push.rows = end - first_row;
  gpu::BufferRange buffers[6];
  for (uint32_t c = 0; c < 4; ++c) {
    const uint64_t channel = channel_offset(desc, c < push.channels ? c : 0);
    const uint64_t first = job.offset + channel + (rows.count() ? rows.first * desc.row_stride : 0);
    const uint64_t last = rows.count() ? first + (rows.count() - 1) * desc.row_stride + row_bytes : first + 4;
    const GpuWindow window = window_over(job.frame, first, last);
    buffers[c] = window.range;
    push.base[c] = window.base;
  }
  push.row_sign = desc.bottom_up ? -1 : 1;
  if (rows.count()) push.row_origin = static_cast<int32_t>(desc.bottom_up ? desc.height - 1 - rows.first : rows.first);
  buffers[4] = {&taps_buffer_.device()};
  buffers[5] = {&picture_.device()};
  const auto bytes = std::as_bytes(std::span(&push, 1));
  auto done =
      commands_->dispatch(shader, buffers, bytes, groups(push.width, kGroupWidth), groups(push.rows, kGroupHeight));
  if (!done) return done.error();
  return push.rows;
}

}  // namespace seamscope
