#include "preview/gpu_passes.hpp"

#include <algorithm>
#include <cstring>

#include "preview/frame_source.hpp"
#include "preview/host_output.hpp"
#include "preview/texel.hpp"

namespace seamscope {
namespace {

constexpr uint32_t kParts = 8;

Result<const gpu::Buffer*> buffer_of(const OutputRef& output) {
  if (const gpu::Buffer* buffer = output.frame.buffer(output.index)) return buffer;
  return Error{"This frame is not in GPU memory.", "Use the C++ passes for it.", ""};
}

}  // namespace

Result<std::unique_ptr<PreviewPasses>> GpuPasses::create(std::shared_ptr<gpu::Device> device) {
  auto passes = std::make_unique<GpuPasses>();
  auto ingest = GpuIngest::create(device);
  if (!ingest) return ingest.error();
  auto view = GpuView::create(device);
  if (!view) return view.error();
  passes->ingest_ = std::move(*ingest);
  passes->view_ = std::move(*view);
  passes->device_ = std::move(device);
  return std::unique_ptr<PreviewPasses>(std::move(passes));
}

Result<FrameStats> GpuPasses::ingest(const OutputRef& output) {
  auto buffer = buffer_of(output);
  if (!buffer) return buffer.error();
  return ingest_->run(**buffer, output.desc, output.offset);
}

Result<Histogram> GpuPasses::histogram(const OutputRef& output, const std::array<double, 2>& span) {
  auto buffer = buffer_of(output);
  if (!buffer) return buffer.error();
  if (!histogram_) {
    auto made = GpuHistogram::create(device_);
    if (!made) return made.error();
    histogram_ = std::move(*made);
  }
  return histogram_->run(**buffer, output.desc, span, output.offset);
}

Result<void> GpuPasses::view(const OutputRef& output, const ViewParams& params, const FrameStats& stats,
                             Picture& picture) {
  const gpu::Buffer* there = output.frame.buffer(output.index);
  const auto buffer = there ? Result<const gpu::Buffer*>(there) : uploaded(output);
  if (!buffer) return buffer.error();
  auto rgba = view_->run(**buffer, output.desc, params, stats, there ? output.offset : 0);
  if (!rgba) return rgba.error();
  picture.width = params.width;
  picture.height = params.height;
  picture.rgba.resize(rgba->size());
  const size_t part = (rgba->size() + kParts - 1) / kParts;
  copiers_.parallel_for(kParts, [&](uint32_t i) {
    const size_t from = std::min(i * part, rgba->size()), size = std::min(part, rgba->size() - from);
    std::memcpy(picture.rgba.data() + from, rgba->data() + from, size);
  });
  return {};
}

// Its own image of the batch alone.
Result<const gpu::Buffer*> GpuPasses::uploaded(const OutputRef& output) {
  const auto bytes = host_output(output);
  if (!bytes) return bytes.error();
  if (!upload_) {
    auto made = GpuUpload::create(device_);
    if (!made) return made.error();
    upload_ = std::move(*made);
  }
  return upload_->run(bytes->first(frame_bytes(output.desc)));
}

}  // namespace seamscope
