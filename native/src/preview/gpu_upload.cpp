#include "preview/gpu_upload.hpp"

#include <algorithm>
#include <cstring>

namespace seamscope {
namespace {

constexpr uint32_t kParts = 8;

}  // namespace

Result<std::unique_ptr<GpuUpload>> GpuUpload::create(std::shared_ptr<gpu::Device> device) {
  std::unique_ptr<GpuUpload> upload(new GpuUpload(device));
  auto commands = gpu::Commands::create(device, device->compute());
  if (!commands) return commands.error();
  upload->commands_ = std::move(*commands);
  return upload;
}

Result<const gpu::Buffer*> GpuUpload::run(std::span<const std::byte> bytes) {
  if (bytes.size() > kMostUpload) return Error{"The frame is too large to be uploaded.", "Draw it on the host.", ""};
  if (buffer_.size() < bytes.size() || buffer_.size() == 0) {
    auto made = gpu::StagedBuffer::create(device_, std::max<uint64_t>(bytes.size(), 4), gpu::MemoryUse::Upload);
    if (!made) return made.error();
    buffer_ = std::move(*made);
  }
  const size_t part = (bytes.size() + kParts - 1) / kParts;
  copiers_.parallel_for(kParts, [&](uint32_t i) {
    const size_t from = std::min(i * part, bytes.size()), size = std::min(part, bytes.size() - from);
    std::memcpy(buffer_.host().data() + from, bytes.data() + from, size);
  });
  if (auto begun = commands_->begin(); !begun) return begun.error();
  commands_->barrier();
  buffer_.to_device(*commands_, buffer_.size());
  if (auto done = commands_->submit_and_wait(); !done) return done.error();
  return &buffer_.device();
}

}  // namespace seamscope
