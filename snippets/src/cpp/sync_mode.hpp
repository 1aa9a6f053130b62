#pragma once

#include <vulkan/vulkan.h>

// snippet: begin seam-sync-mode | Choose timeline, binary or CPU fence by what the device can export
// snippet: placeholders choose_sync_mode
enum class SyncMode { kTimeline, kBinary, kCpuFence };

// A timeline lets the GPU wait overlap with host work. A binary semaphore does too, but each signal
// serves exactly one wait. A CPU fence serialises producer and consumer: the last resort.
inline SyncMode choose_sync_mode(VkPhysicalDevice physical_device) {
  const auto exportable = [&](VkSemaphoreType type) {
    VkSemaphoreTypeCreateInfo kind{};
    kind.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    kind.semaphoreType = type;
    VkPhysicalDeviceExternalSemaphoreInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO;
    info.pNext = &kind;
    info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkExternalSemaphoreProperties properties{};
    properties.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES;
    vkGetPhysicalDeviceExternalSemaphoreProperties(physical_device, &info, &properties);
    return (properties.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT) !=
        0;
  };
  if (exportable(VK_SEMAPHORE_TYPE_TIMELINE)) return SyncMode::kTimeline;
  return exportable(VK_SEMAPHORE_TYPE_BINARY) ? SyncMode::kBinary : SyncMode::kCpuFence;
}
// snippet: end
