#pragma once
// A Vulkan program's side of a ring in GPU memory: dedicated, exportable buffers, written by copies.

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "gpu/commands.hpp"
#include "gpu/shared_instance.hpp"
#include "hub_publisher.hpp"

namespace seamscope::test {

class ExportedBuffer {
 public:
  ExportedBuffer(std::shared_ptr<gpu::Device> device, uint64_t bytes) : device_(std::move(device)), bytes_(bytes) {
    constexpr auto kFd = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    const auto& vk = device_->vk();
    VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr, kFd};
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.pNext = &external;
    info.size = bytes;
    info.usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    REQUIRE(vk.vkCreateBuffer(device_->handle(), &info, nullptr, &buffer_) == VK_SUCCESS);
    VkMemoryRequirements needs{};
    vk.vkGetBufferMemoryRequirements(device_->handle(), buffer_, &needs);
    allocation_size_ = needs.size;
    type_ = *device_->memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    VkMemoryDedicatedAllocateInfo alone{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr, VK_NULL_HANDLE,
                                        buffer_};
    VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, &alone, kFd};
    const VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported, needs.size, type_};
    REQUIRE(vk.vkAllocateMemory(device_->handle(), &memory, nullptr, &memory_) == VK_SUCCESS);
    REQUIRE(vk.vkBindBufferMemory(device_->handle(), buffer_, memory_, 0) == VK_SUCCESS);
  }
  ~ExportedBuffer() {
    device_->vk().vkDestroyBuffer(device_->handle(), buffer_, nullptr);
    device_->vk().vkFreeMemory(device_->handle(), memory_, nullptr);
  }
  ExportedBuffer(const ExportedBuffer&) = delete;
  ExportedBuffer& operator=(const ExportedBuffer&) = delete;

  // A new descriptor each time.
  UniqueFd export_fd() const {
    VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr, memory_,
                              VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    int fd = -1;
    REQUIRE(device_->vk().vkGetMemoryFdKHR(device_->handle(), &info, &fd) == VK_SUCCESS);
    return UniqueFd(fd);
  }
  uint64_t allocation_size() const { return allocation_size_; }
  uint32_t type() const { return type_; }

  // Waits until the bytes are there. `bytes` is a multiple of four long and fills the buffer.
  void write(const std::vector<std::byte>& bytes) const {
    auto from = gpu::Buffer::create(device_, bytes.size(), gpu::MemoryUse::Upload);
    auto to = gpu::Buffer::import(device_, {export_fd(), bytes_, allocation_size_, true, type_});
    auto commands = gpu::Commands::create(device_, device_->compute());
    REQUIRE((from && to && commands));
    std::memcpy((*from)->mapped().data(), bytes.data(), bytes.size());
    REQUIRE((*commands)->begin());
    (*commands)->copy(**from, **to, bytes.size());
    (*commands)->barrier();
    REQUIRE((*commands)->submit_and_wait());
  }

 private:
  std::shared_ptr<gpu::Device> device_;
  uint64_t bytes_, allocation_size_ = 0;
  uint32_t type_ = 0;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
};

// A device that exports; nullptr, with the reason printed, where there is none.
inline std::shared_ptr<gpu::Device> exporting_device() {
  // Never given back: a driver that is unloaded and loaded again leaves memory behind each time.
  static const auto& instance = *new auto(gpu::shared_instance());
  if (!instance) {
    MESSAGE("skipped: " << instance.error().message);
    return nullptr;
  }
  gpu::DeviceOptions options;
  options.extensions = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME};
  auto device = gpu::Device::create(*instance, std::nullopt, options);
  if (device) return *device;
  MESSAGE("skipped: " << device.error().message);
  return nullptr;
}

struct Exporter {
  std::shared_ptr<gpu::Device> device;
  std::vector<std::unique_ptr<ExportedBuffer>> slots;  // of the last ring

  // New slots, their descriptors and the message that offers them.
  std::vector<UniqueFd> make(seamscope_ring& ring, uint32_t generation, uint32_t count, uint64_t slot_bytes) {
    slots.clear();
    std::vector<UniqueFd> fds;
    ring = message_of<seamscope_ring>(SEAMSCOPE_RING);
    for (uint32_t i = 0; i < count; ++i) {
      slots.push_back(std::make_unique<ExportedBuffer>(device, slot_bytes));
      fds.push_back(slots.back()->export_fd());
      ring.allocation_size = slots.back()->allocation_size();
      ring.memory_type_index = slots.back()->type();
    }
    ring.generation = generation;
    ring.memory = SEAMSCOPE_MEMORY_VULKAN;
    ring.slot_count = count;
    ring.slot_size = slot_bytes;
    ring.flags = SEAMSCOPE_HAS_DEVICE_UUID | SEAMSCOPE_HAS_DRIVER_UUID;
    std::memcpy(ring.device_uuid, device->info().uuid.data(), 16);
    std::memcpy(ring.driver_uuid, device->info().driver_uuid.data(), 16);
    return fds;
  }
};

}  // namespace seamscope::test
