#include "gpu/device_choice.hpp"

#include <cstdio>

namespace seamscope::gpu {
namespace {

DeviceInfo describe(VkPhysicalDevice physical, uint32_t index) {
  VkPhysicalDeviceIDProperties id{};
  id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &id;
  vkGetPhysicalDeviceProperties2(physical, &properties);
  const auto& base = properties.properties;
  DeviceInfo info;
  info.name = base.deviceName;
  info.index = index;
  info.type = base.deviceType;
  for (size_t i = 0; i < info.uuid.size(); ++i) {
    info.uuid[i] = id.deviceUUID[i];
    info.driver_uuid[i] = id.driverUUID[i];
  }
  info.api_version = base.apiVersion;
  info.max_storage_buffer_range = base.limits.maxStorageBufferRange;
  info.storage_offset_alignment = base.limits.minStorageBufferOffsetAlignment;
  info.timestamp_period = base.limits.timestampPeriod;
  return info;
}

bool has_timeline_semaphore(VkPhysicalDevice physical) {
  VkPhysicalDeviceVulkan12Features features12{};
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &features12;
  vkGetPhysicalDeviceFeatures2(physical, &features);
  return features12.timelineSemaphore == VK_TRUE;
}

std::string version_text(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version));
}

// Why the preview cannot run on a device; empty when it can.
std::string missing(const DeviceInfo& info) {
  if (info.api_version < VK_API_VERSION_1_2)
    return "offers Vulkan " + version_text(info.api_version) + " and 1.2 is needed";
  if (!info.timeline_semaphore) return "has no timeline semaphores";
  return "";
}

int rank(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return 1;
    default:
      return 0;
  }
}

Error nothing_usable(const std::string& refused, const std::optional<Uuid>& uuid) {
  if (uuid && refused.empty()) {
    return Error{"No Vulkan device has the UUID " + uuid_text(*uuid) + ".",
                 "Refresh the device list: devices may have been hidden or reconfigured since.", ""};
  }
  if (refused.empty()) return Error{"Vulkan lists no device.", "Run `seamscope doctor` to see why.", ""};
  return Error{"No Vulkan device can run the preview: " + refused + ".", "Update the driver.", refused};
}

}  // namespace

std::string uuid_text(const Uuid& uuid) {
  std::string text;
  char byte[4];
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::snprintf(byte, sizeof byte, "%02x", uuid[i]);
    text += byte;
  }
  return text;
}

std::optional<Uuid> parse_uuid(const std::string& text) {
  std::string digits;
  for (const char c : text) {
    if (c == '-') continue;
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!hex) return std::nullopt;
    digits += c;
  }
  Uuid uuid{};
  if (digits.size() != uuid.size() * 2) return std::nullopt;
  for (size_t i = 0; i < uuid.size(); ++i)
    uuid[i] = static_cast<uint8_t>(std::stoul(digits.substr(i * 2, 2), nullptr, 16));
  return uuid;
}

Result<ChosenDevice> choose_device(const VulkanInstance& instance, const std::optional<Uuid>& uuid,
                                   const std::optional<Uuid>& driver) {
  auto devices = instance.physical_devices();
  if (!devices) return devices.error();
  ChosenDevice best;
  std::string refused;
  for (uint32_t i = 0; i < devices->size(); ++i) {
    ChosenDevice candidate{(*devices)[i], describe((*devices)[i], i)};
    auto& info = candidate.info;
    if (uuid && info.uuid != *uuid) continue;
    if (driver && info.driver_uuid != *driver) continue;
    info.timeline_semaphore = info.api_version >= VK_API_VERSION_1_2 && has_timeline_semaphore(candidate.physical);
    if (const auto lack = missing(info); !lack.empty()) {
      refused += (refused.empty() ? "" : "; ") + info.name + " " + lack;
    } else if (!best.physical || rank(info.type) > rank(best.info.type)) {
      best = candidate;
    }
  }
  if (!best.physical) return nothing_usable(refused, uuid);
  return best;
}

}  // namespace seamscope::gpu
