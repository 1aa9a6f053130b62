#pragma once
// One logical Vulkan device with a compute queue and, when the hardware has a copy engine, a transfer-only queue.
// Everything made from a Device keeps it alive by shared_ptr, so the order of destruction never matters.

#include <volk.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device_choice.hpp"
#include "gpu/queue.hpp"

namespace seamscope::gpu {

struct DeviceOptions {
  std::vector<const char*> extensions;       // the device must offer them
  std::optional<Uuid> driver_uuid;           // nothing = any driver of the device
  void (*wrap)(VolkDeviceTable&) = nullptr;  // may replace entries of the function table, to count calls
};

class Device {
 public:
  // Nothing in `uuid` = the best device, see choose_device().
  static Result<std::shared_ptr<Device>> create(std::shared_ptr<const VulkanInstance> instance,
                                                std::optional<Uuid> uuid = std::nullopt,
                                                const DeviceOptions& options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }
  // "NVIDIA H200 (Vulkan 0)"
  std::string text() const;
  bool is_cpu() const { return info_.type == VK_PHYSICAL_DEVICE_TYPE_CPU; }
  VkDevice handle() const { return device_; }
  VkPhysicalDevice physical() const { return physical_; }
  const VolkDeviceTable& vk() const { return vk_; }

  Queue& compute() { return *compute_; }
  // The copy engine's queue, or the compute queue when there is none.
  Queue& transfer() { return transfer_ ? *transfer_ : *compute_; }
  bool has_transfer_queue() const { return transfer_ != nullptr; }

  // Index of a memory type out of `allowed_bits` with all of `wanted` and none of `avoided`; nothing when there is
  // none.
  std::optional<uint32_t> memory_type(uint32_t allowed_bits, VkMemoryPropertyFlags wanted,
                                      VkMemoryPropertyFlags avoided = 0) const;
  VkMemoryPropertyFlags memory_flags(uint32_t type) const { return memory_.memoryTypes[type].propertyFlags; }

  // Bytes of device-local memory held through this object now; host-visible staging does not count.
  uint64_t gpu_memory_bytes() const { return gpu_memory_.load(std::memory_order_relaxed); }
  void track_memory(int64_t bytes) { gpu_memory_.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed); }

  // After a lost device or a wait that ran out nothing may be destroyed safely: handles are left to the end of the
  // process.
  void give_up() { given_up_ = true; }
  bool given_up() const { return given_up_; }

 private:
  explicit Device(std::shared_ptr<const VulkanInstance> instance) : instance_(std::move(instance)) {}
  Result<void> open(VkPhysicalDevice physical, const DeviceOptions& options);
  Result<void> make_device(uint32_t compute_family, std::optional<uint32_t> transfer_family,
                           const DeviceOptions& options);

  std::shared_ptr<const VulkanInstance> instance_;
  DeviceInfo info_;
  VkPhysicalDeviceMemoryProperties memory_{};
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VolkDeviceTable vk_{};
  std::unique_ptr<Queue> compute_, transfer_;
  std::atomic<uint64_t> gpu_memory_{0};
  std::atomic<bool> given_up_{false};
};

}  // namespace seamscope::gpu
