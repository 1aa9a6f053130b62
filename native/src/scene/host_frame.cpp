#include "scene/host_frame.hpp"

#include <algorithm>

namespace seamscope::scene {
namespace {

constexpr size_t kMaxFree = 4;

}  // namespace

std::vector<std::byte> HostPool::take(size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(free_.begin(), free_.end(), [&](const auto& free) { return free.size() == bytes; });
  if (found == free_.end()) return std::vector<std::byte>(bytes);
  auto taken = std::move(*found);
  free_.erase(found);
  return taken;
}

void HostPool::give(std::vector<std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(bytes));
  if (free_.size() > kMaxFree) free_.erase(free_.begin());
}

HostFrame::~HostFrame() {
  for (auto& bytes : bytes_)
    if (!bytes.empty()) pool_->give(std::move(bytes));
}

Result<std::span<const std::byte>> HostFrame::host_bytes(uint32_t output) const {
  if (!has(output)) return not_rendered(number_);
  return std::span<const std::byte>(bytes_[output]);
}

Error not_rendered(uint64_t number) {
  return Error{"This output was not rendered in frame " + std::to_string(number) + ".",
               "Open a view of it and take the next frame.", ""};
}

}  // namespace seamscope::scene
