#include "scene/vulkan_frame.hpp"

#include "scene/host_frame.hpp"

namespace seamscope::scene {

Result<std::unique_ptr<ReadBack>> ReadBack::create(std::shared_ptr<gpu::Device> device) {
  auto read_back = std::make_unique<ReadBack>();
  auto commands = gpu::Commands::create(device, device->transfer());
  if (!commands) return commands.error();
  read_back->commands_ = std::move(*commands);
  return read_back;
}

Result<void> ReadBack::copy(const gpu::Buffer& from, const gpu::Buffer& to, gpu::Ticket after) {
  const std::lock_guard lock(mutex_);
  if (auto begun = commands_->begin(); !begun) return begun;
  commands_->barrier();
  commands_->copy(from, to, from.size());
  commands_->barrier_to_host();
  if (auto done = commands_->submit_and_wait({&after, 1}); !done) return done;
  return to.invalidate();
}

VulkanFrame::~VulkanFrame() {
  for (auto& buffer : buffers_)
    if (buffer) memory_->pool.give(std::move(buffer), gpu::MemoryUse::Device);
  for (auto& copy : copies_)
    if (copy) memory_->pool.give(std::move(copy), gpu::MemoryUse::ReadBack);
}

Result<void> VulkanFrame::add_output(uint32_t output, uint64_t bytes) {
  auto buffer = memory_->pool.take(bytes, gpu::MemoryUse::Device);
  if (!buffer) return buffer.error();
  buffers_[output] = std::move(*buffer);
  return {};
}

bool VulkanFrame::on_host(uint32_t output) const {
  if (!has(output)) return false;
  const std::lock_guard lock(copying_);
  return !buffers_[output]->mapped().empty() || copies_[output];
}

Result<std::span<const std::byte>> VulkanFrame::host_bytes(uint32_t output) const {
  if (!has(output)) return not_rendered(number_);
  const gpu::Buffer& buffer = *buffers_[output];
  if (!buffer.mapped().empty()) {
    if (auto fresh = buffer.invalidate(); !fresh) return fresh.error();
    return std::span<const std::byte>(buffer.mapped());
  }
  const std::lock_guard lock(copying_);
  auto& copy = copies_[output];
  if (!copy) {
    auto taken = memory_->pool.take(buffer.size(), gpu::MemoryUse::ReadBack);
    if (!taken) return taken.error();
    if (auto copied = memory_->read_back->copy(buffer, **taken, rendered_); !copied) return copied.error();
    copy = std::move(*taken);
  }
  return std::span<const std::byte>(copy->mapped());
}

}  // namespace seamscope::scene
