#include "gpu/buffer.hpp"

#include "gpu/vulkan_error.hpp"

namespace seamscope::gpu {
namespace {

constexpr VkMemoryPropertyFlags kDevice = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

std::optional<uint32_t> choose_type(const Device& device, uint32_t allowed, MemoryUse use) {
  using Choice = std::optional<uint32_t>;
  const auto first_of = [](Choice a, Choice b, Choice c) { return a ? a : b ? b : c; };
  const auto type = [&](VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags avoided = 0) {
    return device.memory_type(allowed, wanted, avoided);
  };
  switch (use) {
    case MemoryUse::Unmapped:
    case MemoryUse::Device:
      return first_of(type(kDevice | kVisible | kCoherent | kCached), type(kDevice, kVisible), type(kDevice));
    case MemoryUse::Upload:
      return first_of(type(kVisible | kCoherent, kDevice), type(kVisible | kCoherent), std::nullopt);
    default:
      return first_of(type(kVisible | kCoherent | kCached, kDevice), type(kVisible | kCoherent | kCached),
                      type(kVisible | kCached));
  }
}

}  // namespace

Result<std::shared_ptr<Buffer>> Buffer::create(std::shared_ptr<Device> device, uint64_t bytes, MemoryUse use) {
  std::shared_ptr<Buffer> buffer(new Buffer(std::move(device), (bytes + 3) / 4 * 4));
  const Device& owner = *buffer->device_;
  const uint32_t families[] = {buffer->device_->compute().family(), buffer->device_->transfer().family()};
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = buffer->size_;
  info.usage = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (owner.has_transfer_queue()) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = 2;
    info.pQueueFamilyIndices = families;
  }
  const VkResult made = owner.vk().vkCreateBuffer(owner.handle(), &info, nullptr, &buffer->buffer_);
  if (made != VK_SUCCESS) return vulkan_error("vkCreateBuffer", made);
  if (auto allocated = buffer->allocate(use); !allocated) return allocated.error();
  return buffer;
}

Result<void> Buffer::allocate(MemoryUse use) {
  const auto& vk = device_->vk();
  VkMemoryRequirements needs{};
  vk.vkGetBufferMemoryRequirements(device_->handle(), buffer_, &needs);
  const auto type = choose_type(*device_, needs.memoryTypeBits, use);
  if (!type) return Error{device_->info().name + " has no host-visible memory.", "Choose another device.", ""};
  flags_ = device_->memory_flags(*type);
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = needs.size;
  info.memoryTypeIndex = *type;
  if (auto got = check("vkAllocateMemory", vk.vkAllocateMemory(device_->handle(), &info, nullptr, &memory_)); !got)
    return Error{std::to_string(needs.size >> 20) + " MiB of GPU memory: " + got.error().message, got.error().next_step,
                 got.error().detail};
  if (flags_ & kDevice) device_->track_memory(tracked_ = static_cast<int64_t>(needs.size));
  const VkResult bound = vk.vkBindBufferMemory(device_->handle(), buffer_, memory_, 0);
  if (bound != VK_SUCCESS) return vulkan_error("vkBindBufferMemory", bound);
  const bool map_it = use != MemoryUse::Unmapped && (use != MemoryUse::Device || (flags_ & kCached));
  return map_it ? map() : Result<void>();
}

Result<void> Buffer::map() {
  void* address = nullptr;
  const VkResult result = device_->vk().vkMapMemory(device_->handle(), memory_, 0, VK_WHOLE_SIZE, 0, &address);
  mapped_ = static_cast<std::byte*>(address);
  return check("vkMapMemory", result);
}

Result<void> Buffer::invalidate() const {
  if (!mapped_ || (flags_ & kCoherent)) return {};
  VkMappedMemoryRange range{};
  range.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE;
  range.memory = memory_;
  range.size = VK_WHOLE_SIZE;
  const VkResult result = device_->vk().vkInvalidateMappedMemoryRanges(device_->handle(), 1, &range);
  return check("vkInvalidateMappedMemoryRanges", result);
}

Buffer::~Buffer() {
  device_->track_memory(-tracked_);
  if (device_->given_up()) return;
  device_->vk().vkDestroyBuffer(device_->handle(), buffer_, nullptr);
  device_->vk().vkFreeMemory(device_->handle(), memory_, nullptr);
}

}  // namespace seamscope::gpu
