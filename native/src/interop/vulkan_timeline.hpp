#pragma once
// A Vulkan timeline semaphore that the other side may import.

#include <memory>
#include <string>

#include "gpu/device.hpp"
#include "interop/handover.hpp"

namespace seamscope::interop {

class VulkanTimeline {
 public:
  static Result<std::unique_ptr<VulkanTimeline>> create(std::shared_ptr<gpu::Device> device, Ledger& ledger,
                                                        const std::string& label);
  ~VulkanTimeline() { destroy(); }
  VulkanTimeline(const VulkanTimeline&) = delete;
  VulkanTimeline& operator=(const VulkanTimeline&) = delete;

  // `size` and `dedicated` of the answer mean nothing.
  Result<MemoryHandover> export_semaphore();
  // Signals from the host: releases whoever waits for a lower value.
  Result<void> signal(uint64_t value);
  VkSemaphore handle() const { return semaphore_; }
  LedgerId id() const { return id_; }
  // Idempotent; no submit may still use it.
  void destroy();

 private:
  VulkanTimeline(std::shared_ptr<gpu::Device> device, Ledger& ledger) : device_(std::move(device)), ledger_(ledger) {}

  std::shared_ptr<gpu::Device> device_;
  Ledger& ledger_;
  VkSemaphore semaphore_ = VK_NULL_HANDLE;
  LedgerId id_ = 0;
};

// Whether this device can export a timeline semaphore as an opaque fd.
bool can_export_timeline(VkPhysicalDevice physical);
bool can_export_buffers(VkPhysicalDevice physical);

}  // namespace seamscope::interop
