#pragma once
// A device queue with its own timeline semaphore: every submit gets the next value, and waiting is waiting for a value.

#include <volk.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <span>

#include "base/result.hpp"

namespace seamscope::gpu {

class Device;
class Queue;

// A point on a queue's timeline. Default: already reached.
struct Ticket {
  Queue* queue = nullptr;
  uint64_t value = 0;
};

constexpr std::chrono::nanoseconds kGpuTimeout = std::chrono::seconds(10);

class Queue {
 public:
  static Result<std::unique_ptr<Queue>> create(Device& device, uint32_t family);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  uint32_t family() const { return family_; }
  // For submits that signal and wait for more than tickets; not to be mixed with submit() from another thread.
  VkQueue handle() const { return queue_; }

  // Thread-safe. The work starts when every ticket in `after` has been reached; tickets of this queue need no wait,
  // only a barrier.
  Result<Ticket> submit(VkCommandBuffer commands, std::span<const Ticket> after = {});

  // Error when the device is lost or the value is not reached in time; in both cases the device is given up
  // (Device::give_up).
  Result<void> wait(uint64_t value, std::chrono::nanoseconds timeout = kGpuTimeout);

  VkSemaphore timeline() const { return timeline_; }

 private:
  Queue(Device& device, uint32_t family) : device_(device), family_(family) {}

  Device& device_;
  uint32_t family_;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::mutex mutex_;
  uint64_t last_ = 0;
};

Result<void> wait_for(Ticket ticket, std::chrono::nanoseconds timeout = kGpuTimeout);

}  // namespace seamscope::gpu
