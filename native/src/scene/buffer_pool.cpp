#include "scene/buffer_pool.hpp"

#include <algorithm>

namespace seamscope::scene {
namespace {

constexpr size_t kMaxFree = 4;

}  // namespace

Result<std::shared_ptr<gpu::Buffer>> BufferPool::take(uint64_t bytes, gpu::MemoryUse use) {
  const std::lock_guard lock(mutex_);
  const auto fits = [&](const Free& free) { return free.use == use && free.buffer->size() == bytes; };
  if (const auto found = std::find_if(free_.begin(), free_.end(), fits); found != free_.end()) {
    auto buffer = std::move(found->buffer);
    free_.erase(found);
    return buffer;
  }
  auto made = gpu::Buffer::create(device_, bytes, use);
  if (made) gpu_bytes_ += (*made)->gpu_bytes();
  return made;
}

void BufferPool::give(std::shared_ptr<gpu::Buffer> buffer, gpu::MemoryUse use) {
  const std::lock_guard lock(mutex_);
  free_.push_back({std::move(buffer), use});
  if (free_.size() <= kMaxFree) return;
  gpu_bytes_ -= free_.front().buffer->gpu_bytes();
  free_.erase(free_.begin());
}

uint64_t BufferPool::gpu_bytes() const {
  const std::lock_guard lock(mutex_);
  return gpu_bytes_;
}

}  // namespace seamscope::scene
