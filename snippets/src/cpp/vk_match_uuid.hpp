#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "check_vulkan.hpp"

// snippet: begin seam-vk-match-uuid | The Vulkan device that is the same GPU or MIG instance as a CUDA device
// snippet: placeholders find_vulkan_device
// Compares all 16 bytes of deviceUUID: neither name nor enumeration order tells two equal GPUs
// apart.
inline VkPhysicalDevice find_vulkan_device(
    VkInstance instance, const std::array<uint8_t, VK_UUID_SIZE>& uuid) {
  uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> devices(count);
  check(vkEnumeratePhysicalDevices(instance, &count, devices.data()), "vkEnumeratePhysicalDevices");

  for (VkPhysicalDevice device : devices) {
    VkPhysicalDeviceIDProperties id{};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &id;
    vkGetPhysicalDeviceProperties2(device, &properties);
    if (std::equal(uuid.begin(), uuid.end(), id.deviceUUID)) return device;
  }
  throw std::runtime_error(
      "no Vulkan device has the CUDA device's UUID: a MIG instance without graphics capability, a "
      "container without the graphics capability, or a missing Vulkan driver file");
}
// snippet: end
