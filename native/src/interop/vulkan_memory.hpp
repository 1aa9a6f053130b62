#pragma once
// Vulkan memory with the one buffer or image in it, either exported from here or imported from the other side.

#include <cstddef>
#include <memory>
#include <string>

#include "gpu/device.hpp"
#include "interop/handover.hpp"

namespace seamscope::interop {

struct VulkanMemoryDesc {
  FrameShape shape;
  Resource resource = Resource::Buffer;
  bool host_visible = false;  // the host will read or write it in place
  std::string label;          // for the ledger
  const char* owner = "Vulkan";
  LedgerId device = 0;  // when the ledger knows the device as a handle of its own
};

class VulkanMemory {
 public:
  static Result<std::unique_ptr<VulkanMemory>> create_exportable(std::shared_ptr<gpu::Device> device, Ledger& ledger,
                                                                 const VulkanMemoryDesc& desc);
  // The fd is consumed on success only.
  static Result<std::unique_ptr<VulkanMemory>> import(std::shared_ptr<gpu::Device> device, Ledger& ledger,
                                                      const VulkanMemoryDesc& desc, MemoryHandover handover);
  ~VulkanMemory() { destroy(); }
  VulkanMemory(const VulkanMemory&) = delete;
  VulkanMemory& operator=(const VulkanMemory&) = delete;

  // A new fd each time: one for each import.
  Result<MemoryHandover> export_memory();
  // The bytes as host memory; only with `host_visible`.
  Result<std::byte*> map();

  VkBuffer buffer() const { return buffer_; }
  VkImage image() const { return image_; }
  bool imported() const { return imported_; }
  LedgerId object_id() const { return object_id_; }
  LedgerId memory_id() const { return memory_id_; }

  // Idempotent; the GPU must be done with it.
  void destroy();

 private:
  VulkanMemory(std::shared_ptr<gpu::Device> device, Ledger& ledger, const VulkanMemoryDesc& desc)
      : device_(std::move(device)), ledger_(ledger), desc_(desc) {}
  Result<void> make_object();
  Result<void> allocate(MemoryHandover* import);
  Result<void> bind();
  std::optional<uint32_t> memory_type(uint32_t allowed) const;

  std::shared_ptr<gpu::Device> device_;
  Ledger& ledger_;
  VulkanMemoryDesc desc_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  uint64_t size_ = 0;
  bool dedicated_ = false, imported_ = false;
  std::byte* mapped_ = nullptr;
  LedgerId object_id_ = 0, memory_id_ = 0;
};

}  // namespace seamscope::interop
