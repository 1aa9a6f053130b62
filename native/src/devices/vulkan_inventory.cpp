#include "devices/vulkan_inventory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "devices/vulkan_capabilities.hpp"
#include "devices/vulkan_driver_id.hpp"
#include "devices/vulkan_external.hpp"
#include "drivers/vulkan.hpp"

namespace seamscope {
namespace {

std::string version_text(uint32_t version) {
  return std::to_string(VK_VERSION_MAJOR(version)) + "." + std::to_string(VK_VERSION_MINOR(version)) + "." +
         std::to_string(VK_VERSION_PATCH(version));
}

std::string type_text(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "cpu";
    default:
      return "other";
  }
}

std::string pci_text(const VkPhysicalDevicePCIBusInfoPropertiesEXT& pci) {
  char text[24];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction);
  return text;
}

std::string drm_number(int64_t major, int64_t minor) {
  return std::to_string(major) + ":" + std::to_string(minor);
}

DrmNodes drm_nodes(const VkPhysicalDeviceDrmPropertiesEXT& drm) {
  DrmNodes nodes;
  if (drm.hasPrimary) nodes.primary = drm_number(drm.primaryMajor, drm.primaryMinor);
  if (!drm.hasRender) return nodes;
  nodes.render = drm_number(drm.renderMajor, drm.renderMinor);
  const std::string path = "/dev/dri/renderD" + std::to_string(drm.renderMinor);
  if (access(path.c_str(), F_OK) == 0) nodes.render_node = path;
  return nodes;
}

void fill_properties(VkPhysicalDevice handle, const ExtensionSet& extensions, VulkanDevice& device) {
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci{};
  pci.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT;
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceIDProperties id{};
  id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  id.pNext = &driver;
  VkPhysicalDeviceDrmPropertiesEXT drm{};
  drm.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT;
  const bool has_pci = extensions.has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
  const bool has_drm = extensions.has(VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME);
  if (has_pci) driver.pNext = &pci;
  if (has_drm) {
    drm.pNext = driver.pNext;
    driver.pNext = &drm;
  }
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  all.pNext = &id;
  vkGetPhysicalDeviceProperties2(handle, &all);

  const auto& core = all.properties;
  device.name = core.deviceName;
  device.type = type_text(core.deviceType);
  device.is_cpu = core.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  device.vendor_id = core.vendorID;
  device.device_id = core.deviceID;
  device.api_version = version_text(core.apiVersion);
  device.max_storage_buffer_range = core.limits.maxStorageBufferRange;
  device.timeline_semaphore = has_timeline_semaphores(handle, extensions, core.apiVersion);
  device.device_uuid = uuid_from_bytes(id.deviceUUID);
  device.driver_uuid = uuid_from_bytes(id.driverUUID);
  device.driver_id = vulkan_driver_id_name(driver.driverID);
  device.driver_name = driver.driverName;
  device.driver_info = driver.driverInfo;
  device.is_nvidia_driver = driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
  if (has_pci) device.pci = pci_text(pci);
  if (has_drm) device.drm = drm_nodes(drm);
}

// Drivers split off a small host-visible heap, so the largest device-local heap is the device's memory.
uint64_t device_memory(VkPhysicalDevice handle) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(handle, &memory);
  uint64_t largest = 0;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      largest = std::max<uint64_t>(largest, memory.memoryHeaps[i].size);
  }
  return largest;
}

std::vector<VulkanQueueFamily> queue_families_of(VkPhysicalDevice handle) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> properties(count);
  vkGetPhysicalDeviceQueueFamilyProperties(handle, &count, properties.data());
  std::vector<VulkanQueueFamily> families;
  for (uint32_t i = 0; i < count; ++i) families.push_back({i, properties[i].queueCount, properties[i].queueFlags});
  return families;
}

VulkanDevice describe(VkPhysicalDevice handle, int index) {
  const ExtensionSet extensions(handle);
  VulkanDevice device;
  device.index = index;
  fill_properties(handle, extensions, device);
  device.memory_bytes = device_memory(handle);
  device.queue_families = queue_families_of(handle);
  device.external_memory = external_memory_of(handle, extensions);
  device.external_buffers = external_buffers_of(handle, extensions);
  device.external_images = external_images_of(handle, extensions);
  device.binary_semaphores = external_semaphores_of(handle, extensions, VK_SEMAPHORE_TYPE_BINARY);
  if (device.timeline_semaphore)
    device.timeline_semaphores = external_semaphores_of(handle, extensions, VK_SEMAPHORE_TYPE_TIMELINE);
  return device;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

std::string manifests_text(const std::vector<IcdFile>& files) {
  std::string text;
  for (const auto& file : files) text += (text.empty() ? "" : ", ") + file.path;
  return text;
}

Reason failure_reason(const EnvironmentFacts& environment, const VulkanLoaderLog& log, const Error& error) {
  const std::string words = joined(log.messages);
  if (log.result != VK_ERROR_INCOMPATIBLE_DRIVER)
    return make_reason(ReasonCode::VulkanEnumerationFailed, {vk_result_text(log.result)}, words);
  if (environment.icd_files.empty()) return make_reason(ReasonCode::VulkanNoIcd, {"any driver", "0"}, error.detail);
  return make_reason(ReasonCode::VulkanIcdRejected, {manifests_text(environment.icd_files)}, words);
}

}  // namespace

VulkanInventory read_vulkan(const EnvironmentFacts& environment) {
  VulkanInventory inventory;
  VulkanFacts& facts = inventory.facts;
  inventory.library.name = "libvulkan.so.1";
  if (auto loaded = load_vulkan(); !loaded) {
    inventory.library.error = loaded.error().damaged ? loaded.error().message : loaded.error().detail;
    facts.reason = library_reason(ReasonCode::VulkanLoaderMissing, loaded.error());
    return inventory;
  }
  inventory.library.path = vulkan_library()->path();
  inventory.library.version = vulkan_library()->version();
  inventory.library.passed_over = vulkan_library()->passed_over();
  facts.instance_version = version_text(vulkan_instance_version());

  VulkanLoaderLog log;
  const auto instance = VulkanInstance::create({{}, {}, &log});
  facts.loader_messages = log.messages;
  if (!instance) {
    facts.reason = failure_reason(environment, log, instance.error());
    return inventory;
  }
  const auto handles = instance->physical_devices();
  if (!handles || handles->empty()) {
    const std::string cause = handles ? "the drivers loaded, but none of them lists a device" : handles.error().detail;
    facts.reason = make_reason(ReasonCode::VulkanEnumerationFailed, {cause}, joined(log.messages));
    return inventory;
  }
  for (const auto handle : *handles) facts.devices.push_back(describe(handle, static_cast<int>(facts.devices.size())));
  facts.available = true;
  return inventory;
}

}  // namespace seamscope
