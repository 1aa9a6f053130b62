#pragma once
// The Vulkan device of the tests: one for all of them, the best there is. Nothing, with the reason printed, where there
// is none.

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "gpu/staged_buffer.hpp"

namespace seamscope::test {

inline Result<std::shared_ptr<gpu::Device>> open_device() {
  auto instance = VulkanInstance::create();
  if (!instance) return instance.error();
  return gpu::Device::create(std::make_shared<const VulkanInstance>(std::move(*instance)));
}

inline std::shared_ptr<gpu::Device> device() {
  static const auto opened = open_device();
  if (opened) return *opened;
  MESSAGE("skipped: " << opened.error().message);
  return nullptr;
}

// A device buffer with these bytes from byte `offset` on.
inline gpu::StagedBuffer upload(const std::shared_ptr<gpu::Device>& device, const std::vector<std::byte>& bytes,
                                uint64_t offset = 0) {
  auto buffer = gpu::StagedBuffer::create(device, bytes.size() + offset, gpu::MemoryUse::Upload);
  REQUIRE(buffer);
  std::memcpy(buffer->host().data() + offset, bytes.data(), bytes.size());
  auto commands = gpu::Commands::create(device, device->compute());
  REQUIRE(commands);
  REQUIRE((*commands)->begin());
  buffer->to_device(**commands, buffer->size());
  REQUIRE((*commands)->submit_and_wait());
  return *buffer;
}

}  // namespace seamscope::test
