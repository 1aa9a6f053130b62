#include "gpu/device.hpp"

#include <vector>

#include "gpu/vulkan_error.hpp"

namespace seamscope::gpu {
namespace {

struct Families {
  std::optional<uint32_t> compute, transfer;
};

// The family of graphics and compute together is taken for compute: it is the one every device has. The transfer family
// is one that can do nothing else, a copy engine.
Families find_families(VkPhysicalDevice physical) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> all(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, all.data());
  constexpr VkQueueFlags kWork = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_VIDEO_DECODE_BIT_KHR;
  Families found;
  for (uint32_t i = 0; i < count; ++i) {
    const VkQueueFlags flags = all[i].queueFlags;
    if (!found.compute && (flags & VK_QUEUE_COMPUTE_BIT)) found.compute = i;
    const bool copies_only = (flags & VK_QUEUE_TRANSFER_BIT) && !(flags & kWork);
    if (!found.transfer && copies_only) found.transfer = i;
  }
  return found;
}

VkDeviceQueueCreateInfo queue_info(uint32_t family) {
  static constexpr float kPriority = 1.0f;
  VkDeviceQueueCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  info.queueFamilyIndex = family;
  info.queueCount = 1;
  info.pQueuePriorities = &kPriority;
  return info;
}

// An instance must outlive its devices, and one that is given up is never destroyed.
void keep(std::shared_ptr<const VulkanInstance> instance) {
  static auto* kept = new std::vector<std::shared_ptr<const VulkanInstance>>;
  kept->push_back(std::move(instance));
}

}  // namespace

Result<std::shared_ptr<Device>> Device::create(std::shared_ptr<const VulkanInstance> instance, std::optional<Uuid> uuid,
                                               const DeviceOptions& options) {
  auto chosen = choose_device(*instance, uuid, options.driver_uuid);
  if (!chosen) return chosen.error();
  std::shared_ptr<Device> device(new Device(std::move(instance)));
  device->info_ = chosen->info;
  if (auto opened = device->open(chosen->physical, options); !opened) return opened.error();
  return device;
}

Result<void> Device::open(VkPhysicalDevice physical, const DeviceOptions& options) {
  physical_ = physical;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory_);
  const Families families = find_families(physical);
  if (!families.compute) return Error{info_.name + " has no compute queue.", "Choose another device.", ""};
  if (auto made = make_device(*families.compute, families.transfer, options); !made) return made;
  auto compute = Queue::create(*this, *families.compute);
  if (!compute) return compute.error();
  compute_ = std::move(*compute);
  if (!families.transfer) return {};
  auto transfer = Queue::create(*this, *families.transfer);
  if (!transfer) return transfer.error();
  transfer_ = std::move(*transfer);
  return {};
}

Result<void> Device::make_device(uint32_t compute_family, std::optional<uint32_t> transfer_family,
                                 const DeviceOptions& options) {
  std::vector<VkDeviceQueueCreateInfo> queues{queue_info(compute_family)};
  if (transfer_family) queues.push_back(queue_info(*transfer_family));
  VkPhysicalDeviceVulkan12Features features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features.timelineSemaphore = VK_TRUE;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = static_cast<uint32_t>(queues.size());
  info.pQueueCreateInfos = queues.data();
  info.enabledExtensionCount = static_cast<uint32_t>(options.extensions.size());
  info.ppEnabledExtensionNames = options.extensions.data();
  if (auto made = check("vkCreateDevice", vkCreateDevice(physical_, &info, nullptr, &device_)); !made) return made;
  volkLoadDeviceTable(&vk_, device_);
  if (options.wrap) options.wrap(vk_);
  return {};
}

Device::~Device() {
  if (!device_) return;
  if (given_up_) {
    keep(std::move(instance_));
    return;
  }
  transfer_.reset();
  compute_.reset();
  vk_.vkDestroyDevice(device_, nullptr);
}

std::string Device::text() const {
  return info_.name + " (Vulkan " + std::to_string(info_.index) + ")";
}

std::optional<uint32_t> Device::memory_type(uint32_t allowed_bits, VkMemoryPropertyFlags wanted,
                                            VkMemoryPropertyFlags avoided) const {
  for (uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags flags = memory_.memoryTypes[i].propertyFlags;
    if ((allowed_bits >> i & 1) && (flags & wanted) == wanted && !(flags & avoided)) return i;
  }
  return std::nullopt;
}

}  // namespace seamscope::gpu
