#pragma once
// Buffers that go from frame to frame: allocating GPU memory costs more than rendering.

#include <memory>
#include <mutex>
#include <vector>

#include "gpu/buffer.hpp"

namespace seamscope::scene {

class BufferPool {
 public:
  explicit BufferPool(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}

  Result<std::shared_ptr<gpu::Buffer>> take(uint64_t bytes, gpu::MemoryUse use);
  // Keeps a few for the next take(); frees the rest.
  void give(std::shared_ptr<gpu::Buffer> buffer, gpu::MemoryUse use);

  // Device-local bytes of the buffers in use and of the free ones.
  uint64_t gpu_bytes() const;
  gpu::Device& device() const { return *device_; }

 private:
  struct Free {
    std::shared_ptr<gpu::Buffer> buffer;
    gpu::MemoryUse use;
  };

  std::shared_ptr<gpu::Device> device_;
  mutable std::mutex mutex_;
  std::vector<Free> free_;
  uint64_t gpu_bytes_ = 0;
};

}  // namespace seamscope::scene
