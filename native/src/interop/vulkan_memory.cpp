#include "interop/vulkan_memory.hpp"

#include "gpu/vulkan_error.hpp"

namespace seamscope::interop {
namespace {

constexpr auto kFd = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

Result<VkBuffer> make_buffer(const gpu::Device& device, uint64_t bytes) {
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kFd;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = &external;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  const VkResult result = device.vk().vkCreateBuffer(device.handle(), &info, nullptr, &buffer);
  if (result != VK_SUCCESS) return gpu::vulkan_error("vkCreateBuffer", result);
  return buffer;
}

Result<VkImage> make_image(const gpu::Device& device, FrameShape shape) {
  VkExternalMemoryImageCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO;
  external.handleTypes = kFd;
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.pNext = &external;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.extent = {shape.width, shape.height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
  VkImage image = VK_NULL_HANDLE;
  const VkResult result = device.vk().vkCreateImage(device.handle(), &info, nullptr, &image);
  if (result != VK_SUCCESS) return gpu::vulkan_error("vkCreateImage", result);
  return image;
}

}  // namespace

Result<std::unique_ptr<VulkanMemory>> VulkanMemory::create_exportable(std::shared_ptr<gpu::Device> device,
                                                                      Ledger& ledger, const VulkanMemoryDesc& desc) {
  std::unique_ptr<VulkanMemory> memory(new VulkanMemory(std::move(device), ledger, desc));
  if (auto made = memory->make_object(); !made) return made.error();
  if (auto made = memory->allocate(nullptr); !made) return made.error();
  return memory;
}

Result<std::unique_ptr<VulkanMemory>> VulkanMemory::import(std::shared_ptr<gpu::Device> device, Ledger& ledger,
                                                           const VulkanMemoryDesc& desc, MemoryHandover handover) {
  std::unique_ptr<VulkanMemory> memory(new VulkanMemory(std::move(device), ledger, desc));
  memory->imported_ = true;
  if (auto made = memory->make_object(); !made) return made.error();
  if (auto made = memory->allocate(&handover); !made) return made.error();
  return memory;
}

Result<void> VulkanMemory::make_object() {
  if (desc_.resource == Resource::Buffer) {
    auto made = make_buffer(*device_, desc_.shape.bytes());
    if (!made) return made.error();
    buffer_ = *made;
  } else {
    auto made = make_image(*device_, desc_.shape);
    if (!made) return made.error();
    image_ = *made;
  }
  return {};
}

std::optional<uint32_t> VulkanMemory::memory_type(uint32_t allowed) const {
  constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  if (desc_.host_visible) return device_->memory_type(allowed, kHost);
  const auto local = device_->memory_type(allowed, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  return local ? local : device_->memory_type(allowed, 0);
}

Result<void> VulkanMemory::allocate(MemoryHandover* import) {
  VkMemoryDedicatedRequirements dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS;
  VkMemoryRequirements2 needs{};
  needs.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
  needs.pNext = &dedicated;
  if (buffer_) {
    const VkBufferMemoryRequirementsInfo2 info{VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, nullptr, buffer_};
    device_->vk().vkGetBufferMemoryRequirements2(device_->handle(), &info, &needs);
  } else {
    const VkImageMemoryRequirementsInfo2 info{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, nullptr, image_};
    device_->vk().vkGetImageMemoryRequirements2(device_->handle(), &info, &needs);
  }
  // An importer repeats what the exporter did; an image is always alone in its memory.
  dedicated_ = import ? import->dedicated : image_ || dedicated.requiresDedicatedAllocation;
  size_ = import ? import->size : needs.memoryRequirements.size;
  if (needs.memoryRequirements.size > size_)
    return Error{"An import of " + std::to_string(size_) +
                     " bytes is too small: " + std::to_string(needs.memoryRequirements.size) + " are needed.",
                 "Send the exporter's whole allocation size.", ""};
  const auto type = memory_type(needs.memoryRequirements.memoryTypeBits);
  if (!type) return Error{device_->info().name + " has no fitting memory type.", "Choose another device.", ""};

  const VkMemoryDedicatedAllocateInfo alone{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr, image_, buffer_};
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.pNext = dedicated_ ? &alone : nullptr;
  exported.handleTypes = kFd;
  VkImportMemoryFdInfoKHR imported{};
  imported.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;
  imported.pNext = exported.pNext;
  imported.handleType = kFd;
  imported.fd = import ? import->fd.get() : -1;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = import ? static_cast<const void*>(&imported) : &exported;
  info.allocationSize = size_;
  info.memoryTypeIndex = *type;
  const VkResult result = device_->vk().vkAllocateMemory(device_->handle(), &info, nullptr, &memory_);
  if (result != VK_SUCCESS) return gpu::vulkan_error("vkAllocateMemory", result);
  if (import) import->consumed();  // the transfer point: Vulkan owns the fd from here on
  std::vector<LedgerId> needs_alive;
  if (import && import->exporter) needs_alive.push_back(import->exporter);
  if (desc_.device) needs_alive.push_back(desc_.device);
  memory_id_ = ledger_.acquire(desc_.owner, (import ? "import of " : "memory of ") + desc_.label, needs_alive);
  return bind();
}

Result<void> VulkanMemory::bind() {
  const auto& vk = device_->vk();
  const char* call = buffer_ ? "vkBindBufferMemory" : "vkBindImageMemory";
  const VkResult result = buffer_ ? vk.vkBindBufferMemory(device_->handle(), buffer_, memory_, 0)
                                  : vk.vkBindImageMemory(device_->handle(), image_, memory_, 0);
  if (result != VK_SUCCESS) return gpu::vulkan_error(call, result);
  object_id_ = ledger_.acquire(desc_.owner, (buffer_ ? "buffer of " : "image of ") + desc_.label, {memory_id_});
  return {};
}

Result<MemoryHandover> VulkanMemory::export_memory() {
  VkMemoryGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
  info.memory = memory_;
  info.handleType = kFd;
  int fd = -1;
  const VkResult result = device_->vk().vkGetMemoryFdKHR(device_->handle(), &info, &fd);
  if (result != VK_SUCCESS) return gpu::vulkan_error("vkGetMemoryFdKHR", result);
  MemoryHandover handover;
  handover.fd = UniqueFd(fd);
  handover.size = size_;
  handover.dedicated = dedicated_;
  handover.ledger = &ledger_;
  handover.fd_id = ledger_.fd_exported(memory_id_);
  handover.exporter = memory_id_;
  return handover;
}

Result<std::byte*> VulkanMemory::map() {
  if (mapped_) return mapped_;
  void* address = nullptr;
  const VkResult result = device_->vk().vkMapMemory(device_->handle(), memory_, 0, VK_WHOLE_SIZE, 0, &address);
  if (result != VK_SUCCESS) return gpu::vulkan_error("vkMapMemory", result);
  mapped_ = static_cast<std::byte*>(address);
  return mapped_;
}

void VulkanMemory::destroy() {
  const auto& vk = device_->vk();
  ledger_.release(object_id_);  // before its memory: it is bound to it
  ledger_.release(memory_id_);
  if (!device_->given_up()) {
    vk.vkDestroyBuffer(device_->handle(), buffer_, nullptr);
    vk.vkDestroyImage(device_->handle(), image_, nullptr);
    vk.vkFreeMemory(device_->handle(), memory_, nullptr);
  }
  buffer_ = VK_NULL_HANDLE;
  image_ = VK_NULL_HANDLE;
  memory_ = VK_NULL_HANDLE;
  mapped_ = nullptr;
}

}  // namespace seamscope::interop
