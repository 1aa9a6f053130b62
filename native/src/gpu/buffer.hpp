#pragma once
// A VkBuffer with its memory, of our own or imported. Our own are shared by the compute and the transfer queue family,
// so no ownership transfers are needed.

#include <volk.h>

#include <memory>
#include <optional>
#include <span>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "gpu/device.hpp"

namespace seamscope::gpu {

enum class MemoryUse {
  Unmapped,  // for the GPU alone: never mapped, whatever memory it is
  Device,  // fastest for shaders; mapped as well where that memory is host-cached anyway (CPU drivers, integrated GPUs)
  Upload,  // written by the host, read by shaders
  ReadBack,  // written by copies, read by the host: always host-cached
};

// Memory that another process or API has exported as an opaque fd.
struct OpaqueMemory {
  UniqueFd fd;
  uint64_t bytes = 0;            // of the buffer in it
  uint64_t allocation_size = 0;  // of the whole allocation, which an importer must repeat
  bool dedicated = false;        // the exporter made it for one buffer
  std::optional<uint32_t> type;  // the exporter's memory type, when it is Vulkan: an importer must repeat it
};

class Buffer {
 public:
  // The size is rounded up to a multiple of 4, the unit that shaders read.
  static Result<std::shared_ptr<Buffer>> create(std::shared_ptr<Device> device, uint64_t bytes, MemoryUse use);
  // Never mapped. The fd is consumed on success and closed on failure. Error when the allocation is smaller than what
  // the driver needs for the buffer, or the driver refuses it. The device needs VK_KHR_external_memory_fd.
  static Result<std::shared_ptr<Buffer>> import(std::shared_ptr<Device> device, OpaqueMemory memory);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  VkBuffer handle() const { return buffer_; }
  uint64_t size() const { return size_; }
  Device& device() const { return *device_; }
  const std::shared_ptr<Device>& owner() const { return device_; }
  // Device-local bytes that it takes; 0 for staging memory.
  uint64_t gpu_bytes() const { return static_cast<uint64_t>(tracked_); }

  // The whole buffer as host memory; empty when it is not mapped.
  std::span<std::byte> mapped() const { return {mapped_, mapped_ ? size_ : 0}; }
  // To be called after the GPU wrote and before the host reads; does nothing on coherent memory.
  Result<void> invalidate() const;

 private:
  explicit Buffer(std::shared_ptr<Device> device, uint64_t size) : device_(std::move(device)), size_(size) {}
  Result<void> allocate(MemoryUse use);
  Result<void> import_memory(OpaqueMemory memory);
  Result<void> map();

  std::shared_ptr<Device> device_;
  uint64_t size_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  int64_t tracked_ = 0;
  VkMemoryPropertyFlags flags_ = 0;
  std::byte* mapped_ = nullptr;
};

// A part of a buffer, bound to a shader. `bytes` 0 = to the end.
struct BufferRange {
  const Buffer* buffer = nullptr;
  uint64_t offset = 0, bytes = 0;
};

}  // namespace seamscope::gpu
