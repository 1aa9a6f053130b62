#include "frames/image.hpp"

#include <algorithm>

namespace seamscope::frames {
namespace {

constexpr size_t kKept = 4;

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
  if (free_.size() > kKept) free_.erase(free_.begin());
}

}  // namespace seamscope::frames
