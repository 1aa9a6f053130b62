#pragma once
// A buffer for shaders together with the host memory that it is filled from or read through: one and the same where
// device memory is host-cached.

#include "gpu/commands.hpp"

namespace seamscope::gpu {

class StagedBuffer {
 public:
  StagedBuffer() = default;
  // `staging` is Upload or ReadBack.
  static Result<StagedBuffer> create(const std::shared_ptr<Device>& device, uint64_t bytes, MemoryUse staging);

  const Buffer& device() const { return *device_; }
  std::span<std::byte> host() const { return host_->mapped(); }
  uint64_t size() const { return device_ ? device_->size() : 0; }

  // Records the copy of the first `bytes` to where shaders of later commands read it.
  void to_device(Commands& commands, uint64_t bytes) const;
  // Records the copy of what earlier commands wrote; read it after the wait and invalidate().
  void to_host(Commands& commands, uint64_t bytes) const;
  Result<void> invalidate() const { return host_->invalidate(); }

 private:
  std::shared_ptr<Buffer> device_, host_;
};

}  // namespace seamscope::gpu
