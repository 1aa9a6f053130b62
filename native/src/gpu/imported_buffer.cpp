// Buffers in memory that came as an opaque fd.

#include <sys/stat.h>

#include "gpu/buffer.hpp"
#include "gpu/vulkan_error.hpp"

namespace seamscope::gpu {
namespace {

constexpr auto kOpaqueFd = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

// The file behind a descriptor. A failed import leaves the descriptor with its owner, but some drivers close it all the
// same (Mesa 22's lavapipe): what it stands for then is no longer ours to close.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  bool known = false;
};

Identity identity_of(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return {};
  return {status.st_dev, status.st_ino, true};
}

void close_unless_closed(UniqueFd& fd, const Identity& before) {
  const Identity now = identity_of(fd.get());
  const bool same = now.known && now.device == before.device && now.inode == before.inode;
  if (!same) fd.release();
  fd.reset();
}

Error too_small(uint64_t has, uint64_t needs) {
  return Error{"An allocation of " + std::to_string(has) + " bytes is too small: the driver needs " +
                   std::to_string(needs) + ".",
               "Send the exporter's whole allocation size.", ""};
}

std::optional<uint32_t> memory_type_for(const Device& device, uint32_t allowed, std::optional<uint32_t> exporters) {
  if (exporters) return *exporters < 32 && (allowed >> *exporters & 1) ? exporters : std::nullopt;
  const auto local = device.memory_type(allowed, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  return local ? local : device.memory_type(allowed, 0);
}

}  // namespace

Result<std::shared_ptr<Buffer>> Buffer::import(std::shared_ptr<Device> device, OpaqueMemory memory) {
  std::shared_ptr<Buffer> buffer(new Buffer(std::move(device), memory.bytes));
  const Device& owner = *buffer->device_;
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kOpaqueFd;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = &external;
  info.size = memory.bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const VkResult made = owner.vk().vkCreateBuffer(owner.handle(), &info, nullptr, &buffer->buffer_);
  if (made != VK_SUCCESS) return vulkan_error("vkCreateBuffer", made);
  if (auto imported = buffer->import_memory(std::move(memory)); !imported) return imported.error();
  return buffer;
}

Result<void> Buffer::import_memory(OpaqueMemory memory) {
  const auto& vk = device_->vk();
  VkMemoryRequirements needs{};
  vk.vkGetBufferMemoryRequirements(device_->handle(), buffer_, &needs);
  if (needs.size > memory.allocation_size) return too_small(memory.allocation_size, needs.size);
  const auto type = memory_type_for(*device_, needs.memoryTypeBits, memory.type);
  if (!type) return Error{device_->info().name + " has no fitting memory type.", "Choose another device.", ""};
  flags_ = device_->memory_flags(*type);
  const VkMemoryDedicatedAllocateInfo alone{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr, VK_NULL_HANDLE,
                                            buffer_};
  VkImportMemoryFdInfoKHR imported{};
  imported.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;
  imported.pNext = memory.dedicated ? &alone : nullptr;
  imported.handleType = kOpaqueFd;
  imported.fd = memory.fd.get();
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &imported;
  info.allocationSize = memory.allocation_size;
  info.memoryTypeIndex = *type;
  const Identity before = identity_of(memory.fd.get());
  const VkResult result = vk.vkAllocateMemory(device_->handle(), &info, nullptr, &memory_);
  if (result != VK_SUCCESS) {
    close_unless_closed(memory.fd, before);
    return vulkan_error("vkAllocateMemory", result);
  }
  memory.fd.release();  // the transfer point: Vulkan owns it from here on
  return check("vkBindBufferMemory", vk.vkBindBufferMemory(device_->handle(), buffer_, memory_, 0));
}

}  // namespace seamscope::gpu
