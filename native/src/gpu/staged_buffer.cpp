#include "gpu/staged_buffer.hpp"

namespace seamscope::gpu {

Result<StagedBuffer> StagedBuffer::create(const std::shared_ptr<Device>& device, uint64_t bytes, MemoryUse staging) {
  StagedBuffer both;
  auto made = Buffer::create(device, bytes, MemoryUse::Device);
  if (!made) return made.error();
  both.device_ = both.host_ = std::move(*made);
  if (!both.device_->mapped().empty()) return both;
  auto host = Buffer::create(device, bytes, staging);
  if (!host) return host.error();
  both.host_ = std::move(*host);
  return both;
}

void StagedBuffer::to_device(Commands& commands, uint64_t bytes) const {
  if (host_ == device_) return;
  commands.copy(*host_, *device_, bytes);
  commands.barrier();
}

void StagedBuffer::to_host(Commands& commands, uint64_t bytes) const {
  if (host_ != device_) {
    commands.barrier();
    commands.copy(*device_, *host_, bytes);
  }
  commands.barrier_to_host();
}

}  // namespace seamscope::gpu
