#pragma once
// One command buffer that is recorded again and again, with the descriptor sets its dispatches need. Not thread-safe.

#include <volk.h>

#include <memory>
#include <span>

#include "base/result.hpp"
#include "gpu/buffer.hpp"
#include "gpu/pipeline.hpp"
#include "gpu/queue.hpp"

namespace seamscope::gpu {

class Commands {
 public:
  // `queue` must belong to `device`.
  static Result<std::unique_ptr<Commands>> create(std::shared_ptr<Device> device, Queue& queue);
  ~Commands();
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  // To record into by other means, between begin() and submit().
  VkCommandBuffer handle() const { return commands_; }

  // Waits for the previous submit of this object, then starts a new recording.
  Result<void> begin();

  // Orders all earlier shader and copy work of the queue, earlier submits included, before what follows.
  void barrier();
  // The same towards the host: what was written can be read after the wait.
  void barrier_to_host();
  void fill(const Buffer& buffer, uint64_t offset, uint64_t bytes, uint32_t word);
  void copy(const Buffer& from, const Buffer& to, uint64_t bytes) { copy(from, 0, to, bytes); }
  void copy(const Buffer& from, uint64_t offset, const Buffer& to, uint64_t bytes);
  // Makes visible what another process or API has written into imported memory.
  void acquire(const Buffer& imported);
  Result<void> dispatch(const ComputePipeline& pipeline, std::span<const BufferRange> buffers,
                        std::span<const std::byte> push, uint32_t groups_x, uint32_t groups_y = 1);

  // Ends the recording and submits it.
  Result<Ticket> submit(std::span<const Ticket> after = {});
  Result<void> submit_and_wait(std::span<const Ticket> after = {});

 private:
  Commands(std::shared_ptr<Device> device, Queue& queue) : device_(std::move(device)), queue_(queue) {}
  Result<void> make_pools();
  Result<VkDescriptorSet> describe(const ComputePipeline& pipeline, std::span<const BufferRange> buffers);

  std::shared_ptr<Device> device_;
  Queue& queue_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkDescriptorPool sets_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  Ticket last_;
};

}  // namespace seamscope::gpu
