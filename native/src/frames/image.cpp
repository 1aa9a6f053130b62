#include "frames/image.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <string>

namespace seamscope::frames {
namespace {

constexpr size_t kKept = 4;
constexpr uint64_t kKeptBytes = uint64_t{512} << 20;

}  // namespace

BytePool::Array BytePool::take(uint64_t bytes) {
  {
    std::lock_guard lock(mutex_);
    // One that is far too large would hold memory that a smaller frame does not need.
    const auto fits = [bytes](const Array& array) { return array.capacity >= bytes && array.capacity / 4 <= bytes; };
    const auto found = std::find_if(free_.begin(), free_.end(), fits);
    if (found != free_.end()) {
      Array array = std::move(*found);
      free_.erase(found);
      return array;
    }
  }
  return {std::unique_ptr<std::byte[]>(new std::byte[bytes]), bytes};
}

void BytePool::give(Array array) {
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(array));
  const auto too_much = [this] {
    const auto add = [](uint64_t sum, const Array& each) { return sum + each.capacity; };
    return free_.size() > kKept || std::accumulate(free_.begin(), free_.end(), uint64_t{0}, add) > kKeptBytes;
  };
  while (!free_.empty() && too_much()) free_.erase(free_.begin());
}

Result<std::shared_ptr<PooledBytes>> PooledBytes::create(std::shared_ptr<BytePool> pool, uint64_t bytes) {
  try {
    BytePool::Array array = pool->take(bytes);
    return std::make_shared<PooledBytes>(std::move(pool), std::move(array), bytes);
  } catch (const std::bad_alloc&) {
    return Error{"There are no " + std::to_string(bytes >> 20) + " MiB of memory left for a frame.",
                 "Publish smaller frames, or close other programs.", ""};
  }
}

}  // namespace seamscope::frames
