// A Vulkan driver that stands in for hardware: the loader loads it through a manifest, and it lists the GPUs of the
// description (see machine.hpp) that have "vulkan", in the reverse of their order there, as a reminder that no index
// carries over. In MIG mode its devices are the instances whose profile can draw. It creates no device.

#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#include <cstring>
#include <memory>
#include <vector>

#include "machine.hpp"

namespace {

using doubles::Gpu;
using doubles::Instance;

// Begins with the word in which the loader keeps its table.
struct Dispatchable {
  VK_LOADER_DATA loader{ICD_LOADER_MAGIC};
};
struct PhysicalDevice : Dispatchable {
  const Gpu* gpu = nullptr;
  const Instance* instance = nullptr;
};
struct InstanceHandle : Dispatchable {
  std::vector<std::unique_ptr<PhysicalDevice>> devices;
};

constexpr uint32_t kApiVersion = VK_MAKE_API_VERSION(0, 1, 3, 280);
constexpr const char* kExtensions[] = {
    "VK_KHR_external_memory_fd", "VK_EXT_external_memory_dma_buf", "VK_KHR_external_semaphore_fd",
    "VK_EXT_pci_bus_info",       "VK_EXT_physical_device_drm",     "VK_KHR_timeline_semaphore",
};

bool can_draw(const Gpu& gpu, const Instance& instance) {
  for (const auto& profile : gpu.profiles)
    if (profile.name == instance.profile) return profile.graphics;
  return false;
}

void add(InstanceHandle& handle, const Gpu& gpu, const Instance* instance) {
  auto device = std::make_unique<PhysicalDevice>();
  device->gpu = &gpu;
  device->instance = instance;
  handle.devices.push_back(std::move(device));
}

void list_devices(InstanceHandle& handle) {
  const auto& gpus = doubles::machine().gpus;
  for (auto gpu = gpus.rbegin(); gpu != gpus.rend(); ++gpu) {
    if (!gpu->vulkan) continue;
    if (!gpu->mig_current) add(handle, *gpu, nullptr);
    for (const auto& instance : gpu->instances)
      if (gpu->mig_current && can_draw(*gpu, instance)) add(handle, *gpu, &instance);
  }
}

const PhysicalDevice& of(VkPhysicalDevice device) {
  return *reinterpret_cast<const PhysicalDevice*>(device);
}

template <typename T>
VkResult fill(uint32_t* count, T* out, const std::vector<T>& items) {
  if (!out) {
    *count = static_cast<uint32_t>(items.size());
    return VK_SUCCESS;
  }
  const bool all = *count >= items.size();
  if (all) *count = static_cast<uint32_t>(items.size());
  for (uint32_t i = 0; i < *count; ++i) out[i] = items[i];
  return all ? VK_SUCCESS : VK_INCOMPLETE;
}

VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo*, const VkAllocationCallbacks*, VkInstance* instance) {
  auto handle = std::make_unique<InstanceHandle>();
  list_devices(*handle);
  *instance = reinterpret_cast<VkInstance>(handle.release());
  return VK_SUCCESS;
}

void VKAPI_CALL destroy_instance(VkInstance instance, const VkAllocationCallbacks*) {
  delete reinterpret_cast<InstanceHandle*>(instance);
}

VkResult VKAPI_CALL enumerate_devices(VkInstance instance, uint32_t* count, VkPhysicalDevice* out) {
  std::vector<VkPhysicalDevice> devices;
  for (const auto& device : reinterpret_cast<InstanceHandle*>(instance)->devices)
    devices.push_back(reinterpret_cast<VkPhysicalDevice>(device.get()));
  return fill(count, out, devices);
}

void VKAPI_CALL properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* out) {
  *out = {};
  out->apiVersion = kApiVersion;
  out->vendorID = 0x10de;
  out->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  out->limits.maxStorageBufferRange = ~0u;
  const auto& unit = of(device);
  const std::string name = unit.instance ? unit.gpu->name + " MIG " + unit.instance->profile : unit.gpu->name;
  std::strncpy(out->deviceName, name.c_str(), sizeof out->deviceName - 1);
}

void fill_id(const PhysicalDevice& unit, VkPhysicalDeviceIDProperties& id) {
  doubles::uuid_bytes(unit.instance ? unit.instance->uuid : unit.gpu->uuid, reinterpret_cast<char*>(id.deviceUUID));
  doubles::uuid_bytes("dddddddd-0000-0000-0000-000000000000", reinterpret_cast<char*>(id.driverUUID));
}

void fill_pci(const PhysicalDevice& unit, VkPhysicalDevicePCIBusInfoPropertiesEXT& pci) {
  std::sscanf(unit.gpu->pci.c_str(), "%x:%x:%x.%x", &pci.pciDomain, &pci.pciBus, &pci.pciDevice, &pci.pciFunction);
}

void fill_drm(VkPhysicalDeviceDrmPropertiesEXT& drm) {
  drm.hasPrimary = drm.hasRender = VK_TRUE;
  drm.primaryMajor = drm.renderMajor = 226;
  drm.primaryMinor = 250;
  drm.renderMinor = 251;
}

void VKAPI_CALL properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* out) {
  properties(device, &out->properties);
  for (auto* next = static_cast<VkBaseOutStructure*>(out->pNext); next; next = next->pNext) {
    if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
      fill_id(of(device), *reinterpret_cast<VkPhysicalDeviceIDProperties*>(next));
    if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT)
      fill_pci(of(device), *reinterpret_cast<VkPhysicalDevicePCIBusInfoPropertiesEXT*>(next));
    if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT)
      fill_drm(*reinterpret_cast<VkPhysicalDeviceDrmPropertiesEXT*>(next));
    if (next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) continue;
    auto& driver = *reinterpret_cast<VkPhysicalDeviceDriverProperties*>(next);
    driver.driverID = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    std::strcpy(driver.driverName, "NVIDIA");
    std::strcpy(driver.driverInfo, doubles::machine().driver.c_str());
  }
}

void VKAPI_CALL features(VkPhysicalDevice, VkPhysicalDeviceFeatures* out) {
  *out = {};
}

void VKAPI_CALL features2(VkPhysicalDevice, VkPhysicalDeviceFeatures2* out) {
  out->features = {};
  for (auto* next = static_cast<VkBaseOutStructure*>(out->pNext); next; next = next->pNext)
    if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES)
      reinterpret_cast<VkPhysicalDeviceTimelineSemaphoreFeatures*>(next)->timelineSemaphore = VK_TRUE;
}

void VKAPI_CALL format_properties(VkPhysicalDevice, VkFormat, VkFormatProperties* out) {
  *out = {};
}

VkResult VKAPI_CALL image_format(VkPhysicalDevice, VkFormat, VkImageType, VkImageTiling, VkImageUsageFlags,
                                 VkImageCreateFlags, VkImageFormatProperties* out) {
  *out = {};
  out->maxExtent = {32768, 32768, 1};
  return VK_SUCCESS;
}

// Depth crosses in dedicated memory only, and nothing does with linear tiling.
VkResult VKAPI_CALL image_format2(VkPhysicalDevice device, const VkPhysicalDeviceImageFormatInfo2* info,
                                  VkImageFormatProperties2* out) {
  if (info->tiling == VK_IMAGE_TILING_LINEAR) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  for (auto* next = static_cast<VkBaseOutStructure*>(out->pNext); next; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES) continue;
    auto& external = reinterpret_cast<VkExternalImageFormatProperties*>(next)->externalMemoryProperties;
    external.externalMemoryFeatures =
        VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    if (info->usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT)
      external.externalMemoryFeatures |= VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
  }
  return image_format(device, info->format, info->type, info->tiling, info->usage, info->flags,
                      &out->imageFormatProperties);
}

void VKAPI_CALL memory_properties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* out) {
  const auto& unit = of(device);
  *out = {};
  out->memoryHeapCount = 1;
  out->memoryHeaps[0] = {(unit.instance ? unit.instance->memory_mib : unit.gpu->memory_mib) << 20,
                         VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  out->memoryTypeCount = 1;
}

void VKAPI_CALL queue_families(VkPhysicalDevice, uint32_t* count, VkQueueFamilyProperties* out) {
  std::vector<VkQueueFamilyProperties> families(2);
  families[0].queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  families[0].queueCount = 16;
  families[1].queueFlags = VK_QUEUE_TRANSFER_BIT;
  families[1].queueCount = 2;
  fill(count, out, families);
}

VkResult VKAPI_CALL extensions(VkPhysicalDevice, const char*, uint32_t* count, VkExtensionProperties* out) {
  std::vector<VkExtensionProperties> list;
  for (const char* name : kExtensions) {
    list.push_back({});
    std::strcpy(list.back().extensionName, name);
  }
  return fill(count, out, list);
}

VkResult VKAPI_CALL no_extensions(const char*, uint32_t* count, VkExtensionProperties*) {
  *count = 0;
  return VK_SUCCESS;
}

VkResult VKAPI_CALL no_layers(VkPhysicalDevice, uint32_t* count, VkLayerProperties*) {
  *count = 0;
  return VK_SUCCESS;
}

VkResult VKAPI_CALL version(uint32_t* out) {
  *out = kApiVersion;
  return VK_SUCCESS;
}

void VKAPI_CALL external_buffer(VkPhysicalDevice, const VkPhysicalDeviceExternalBufferInfo* info,
                                VkExternalBufferProperties* out) {
  const bool opaque = info->handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  out->externalMemoryProperties = {};
  out->externalMemoryProperties.externalMemoryFeatures =
      opaque ? VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT
             : VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
}

void VKAPI_CALL external_semaphore(VkPhysicalDevice, const VkPhysicalDeviceExternalSemaphoreInfo* info,
                                   VkExternalSemaphoreProperties* out) {
  const bool opaque = info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  out->externalSemaphoreFeatures =
      opaque ? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT : 0;
}

void VKAPI_CALL sparse(VkPhysicalDevice, VkFormat, VkImageType, VkSampleCountFlagBits, VkImageUsageFlags, VkImageTiling,
                       uint32_t* count, VkSparseImageFormatProperties*) {
  *count = 0;
}

VkResult VKAPI_CALL create_device(VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
                                  VkDevice*) {
  return VK_ERROR_INITIALIZATION_FAILED;
}

PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice, const char*) {
  return nullptr;
}

struct Entry {
  const char* name;
  PFN_vkVoidFunction function;
};
#define ENTRY(name, function) \
  { name, reinterpret_cast<PFN_vkVoidFunction>(function) }
const Entry kEntries[] = {
    ENTRY("vkCreateInstance", create_instance),
    ENTRY("vkDestroyInstance", destroy_instance),
    ENTRY("vkEnumerateInstanceExtensionProperties", no_extensions),
    ENTRY("vkEnumerateInstanceVersion", version),
    ENTRY("vkEnumeratePhysicalDevices", enumerate_devices),
    ENTRY("vkGetPhysicalDeviceProperties", properties),
    ENTRY("vkGetPhysicalDeviceProperties2", properties2),
    ENTRY("vkGetPhysicalDeviceFeatures", features),
    ENTRY("vkGetPhysicalDeviceFeatures2", features2),
    ENTRY("vkGetPhysicalDeviceFormatProperties", format_properties),
    ENTRY("vkGetPhysicalDeviceImageFormatProperties", image_format),
    ENTRY("vkGetPhysicalDeviceImageFormatProperties2", image_format2),
    ENTRY("vkGetPhysicalDeviceMemoryProperties", memory_properties),
    ENTRY("vkGetPhysicalDeviceQueueFamilyProperties", queue_families),
    ENTRY("vkGetPhysicalDeviceSparseImageFormatProperties", sparse),
    ENTRY("vkGetPhysicalDeviceExternalBufferProperties", external_buffer),
    ENTRY("vkGetPhysicalDeviceExternalSemaphoreProperties", external_semaphore),
    ENTRY("vkEnumerateDeviceExtensionProperties", extensions),
    ENTRY("vkEnumerateDeviceLayerProperties", no_layers),
    ENTRY("vkCreateDevice", create_device),
    ENTRY("vkGetDeviceProcAddr", device_proc),
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  if (*version > 5) *version = 5;
  return VK_SUCCESS;
}

PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance, const char* name) {
  for (const auto& entry : kEntries)
    if (std::strcmp(entry.name, name) == 0) return entry.function;
  return nullptr;
}

}  // extern "C"
#pragma GCC visibility pop
