#include "devices/vulkan_capabilities.hpp"

#include <cstring>

namespace seamscope {
namespace {

struct SemaphoreType {
  const char* name;
  VkExternalSemaphoreHandleTypeFlagBits type;
  const char* extension;
};
constexpr SemaphoreType kSemaphoreTypes[] = {
    {"opaqueFd", VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME},
    {"syncFd", VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME},
};

VkExternalSemaphoreFeatureFlags semaphore_features(VkPhysicalDevice device, VkExternalSemaphoreHandleTypeFlagBits type,
                                                   VkSemaphoreType semaphore) {
  VkSemaphoreTypeCreateInfo kind{};
  kind.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  kind.semaphoreType = semaphore;
  VkPhysicalDeviceExternalSemaphoreInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO;
  info.pNext = &kind;
  info.handleType = type;
  VkExternalSemaphoreProperties properties{};
  properties.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES;
  vkGetPhysicalDeviceExternalSemaphoreProperties(device, &info, &properties);
  return properties.externalSemaphoreFeatures;
}

}  // namespace

ExtensionSet::ExtensionSet(VkPhysicalDevice device) {
  uint32_t count = 0;
  if (vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) < 0) return;
  extensions_.resize(count);
  if (vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions_.data()) < 0) count = 0;
  extensions_.resize(count);
}

bool ExtensionSet::has(const char* name) const {
  for (const auto& extension : extensions_)
    if (std::strcmp(extension.extensionName, name) == 0) return true;
  return false;
}

std::vector<ExternalHandle> external_semaphores_of(VkPhysicalDevice device, const ExtensionSet& extensions,
                                                   VkSemaphoreType type) {
  std::vector<ExternalHandle> handles;
  for (const auto& entry : kSemaphoreTypes) {
    const auto features = extensions.has(entry.extension) ? semaphore_features(device, entry.type, type) : 0;
    handles.push_back({entry.name, (features & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT) != 0,
                       (features & VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT) != 0});
  }
  return handles;
}

bool has_timeline_semaphores(VkPhysicalDevice device, const ExtensionSet& extensions, uint32_t api_version) {
  if (api_version < VK_API_VERSION_1_2 && !extensions.has(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME)) return false;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &timeline;
  vkGetPhysicalDeviceFeatures2(device, &features);
  return timeline.timelineSemaphore == VK_TRUE;
}

}  // namespace seamscope
