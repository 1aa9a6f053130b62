#pragma once
// Which physical device the engine uses, and what is known about it.

#include <array>
#include <optional>
#include <string>

#include "drivers/vulkan.hpp"

namespace seamscope::gpu {

using Uuid = std::array<uint8_t, VK_UUID_SIZE>;

struct DeviceInfo {
  std::string name;
  uint32_t index = 0;  // enumeration order of this process
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  Uuid uuid{}, driver_uuid{};
  uint32_t api_version = 0;
  bool timeline_semaphore = false;
  uint64_t max_storage_buffer_range = 0;  // bytes; may be 128 MiB on some drivers
  uint64_t storage_offset_alignment = 0;  // bytes; a power of two
  float timestamp_period = 0;             // nanoseconds a tick
};

struct ChosenDevice {
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  DeviceInfo info;
};

// Lower-case hex with dashes and back; nothing when the text is no UUID.
std::string uuid_text(const Uuid& uuid);
std::optional<Uuid> parse_uuid(const std::string& text);

// Nothing in `uuid` = the best device: discrete, then integrated, then virtual, then CPU; the first of equals.
// Only devices of Vulkan 1.2 with timeline semaphores and a compute queue are usable; the error says which one lacks
// what.
// Two drivers may offer the same GPU: `driver` picks one of them.
Result<ChosenDevice> choose_device(const VulkanInstance& instance, const std::optional<Uuid>& uuid,
                                   const std::optional<Uuid>& driver = std::nullopt);

}  // namespace seamscope::gpu
