#pragma once
// A published frame in the engine's own memory, and the memory that goes from frame to frame.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "preview/frame.hpp"

namespace seamscope::gpu {
class Buffer;
}

namespace seamscope::frames {

// Arrays that go from frame to frame: fresh ones would have to be faulted in.
class BytePool {
 public:
  struct Array {
    std::unique_ptr<std::byte[]> data;
    uint64_t capacity = 0;
  };
  Array take(uint64_t bytes);
  // Keeps a few for the next take().
  void give(Array array);

 private:
  std::mutex mutex_;
  std::vector<Array> free_;
};

// Bytes that whoever holds this may read.
class HostBytes {
 public:
  virtual ~HostBytes() = default;
  virtual std::span<const std::byte> bytes() const = 0;
  // For who has just made it.
  virtual std::span<std::byte> writable() = 0;
  // The same bytes as a GPU reads them over its bus; nullptr: it cannot.
  virtual const gpu::Buffer* buffer() const { return nullptr; }
};

class PooledBytes final : public HostBytes {
 public:
  // Error when the memory is not there.
  static Result<std::shared_ptr<PooledBytes>> create(std::shared_ptr<BytePool> pool, uint64_t bytes);
  PooledBytes(std::shared_ptr<BytePool> pool, BytePool::Array array, uint64_t bytes)
      : pool_(std::move(pool)), array_(std::move(array)), size_(bytes) {}
  ~PooledBytes() override { pool_->give(std::move(array_)); }

  std::span<const std::byte> bytes() const override { return {array_.data.get(), size_}; }
  std::span<std::byte> writable() override { return {array_.data.get(), size_}; }

 private:
  std::shared_ptr<BytePool> pool_;
  BytePool::Array array_;
  uint64_t size_;
};

// One frame of one output. Never changes once made.
struct Image {
  uint64_t number = 0;
  FrameDesc desc;  // of `memory`, from its first byte
  std::shared_ptr<const HostBytes> memory;
  double produced_at = 0, handoff_ms = 0;
};

}  // namespace seamscope::frames
