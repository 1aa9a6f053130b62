#include "interop/vulkan_timeline.hpp"

#include "gpu/vulkan_error.hpp"

namespace seamscope::interop {
namespace {

constexpr auto kFd = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;

VkSemaphoreTypeCreateInfo timeline_type() {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  return type;
}

}  // namespace

Result<std::unique_ptr<VulkanTimeline>> VulkanTimeline::create(std::shared_ptr<gpu::Device> device, Ledger& ledger,
                                                               const std::string& label) {
  std::unique_ptr<VulkanTimeline> timeline(new VulkanTimeline(std::move(device), ledger));
  VkExportSemaphoreCreateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
  exported.handleTypes = kFd;
  VkSemaphoreTypeCreateInfo type = timeline_type();
  type.pNext = &exported;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  const gpu::Device& owner = *timeline->device_;
  const VkResult result = owner.vk().vkCreateSemaphore(owner.handle(), &info, nullptr, &timeline->semaphore_);
  if (result != VK_SUCCESS) return gpu::vulkan_error("vkCreateSemaphore", result);
  timeline->id_ = ledger.acquire("Vulkan", "timeline \"" + label + "\"");
  return timeline;
}

Result<MemoryHandover> VulkanTimeline::export_semaphore() {
  VkSemaphoreGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
  info.semaphore = semaphore_;
  info.handleType = kFd;
  int fd = -1;
  const VkResult result = device_->vk().vkGetSemaphoreFdKHR(device_->handle(), &info, &fd);
  if (result != VK_SUCCESS) return gpu::vulkan_error("vkGetSemaphoreFdKHR", result);
  MemoryHandover handover;
  handover.fd = UniqueFd(fd);
  handover.ledger = &ledger_;
  handover.fd_id = ledger_.fd_exported(id_);
  handover.exporter = id_;
  return handover;
}

Result<void> VulkanTimeline::signal(uint64_t value) {
  VkSemaphoreSignalInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  info.semaphore = semaphore_;
  info.value = value;
  return gpu::check("vkSignalSemaphore", device_->vk().vkSignalSemaphore(device_->handle(), &info));
}

void VulkanTimeline::destroy() {
  ledger_.release(id_);
  if (!device_->given_up()) device_->vk().vkDestroySemaphore(device_->handle(), semaphore_, nullptr);
  semaphore_ = VK_NULL_HANDLE;
}

bool can_export_timeline(VkPhysicalDevice physical) {
  const VkSemaphoreTypeCreateInfo type = timeline_type();
  VkPhysicalDeviceExternalSemaphoreInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO;
  info.pNext = &type;
  info.handleType = kFd;
  VkExternalSemaphoreProperties answer{};
  answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES;
  vkGetPhysicalDeviceExternalSemaphoreProperties(physical, &info, &answer);
  return answer.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

bool can_export_buffers(VkPhysicalDevice physical) {
  VkPhysicalDeviceExternalBufferInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkExternalBufferProperties answer{};
  answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
  vkGetPhysicalDeviceExternalBufferProperties(physical, &info, &answer);
  const auto features = answer.externalMemoryProperties.externalMemoryFeatures;
  return (features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) &&
         (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT);
}

}  // namespace seamscope::interop
