#pragma once

#include <vulkan/vulkan.h>

#include <utility>
#include <vector>

// snippet: begin seam-scene-teardown | Per-scene teardown apart from the persistent one, and what invalidates command buffers
// snippet: placeholders SceneResources
class SceneResources {
 public:
  SceneResources(VkDevice device, VkCommandPool pool) : device_(device), pool_(pool) {}
  SceneResources(const SceneResources&) = delete;
  SceneResources& operator=(const SceneResources&) = delete;
  ~SceneResources() { destroy_scene(); }

  // Device, command pool, shader library and pipelines are borrowed: they outlive a scene, and
  // destroying them here would compile every shader again for the next one.
  void destroy_scene() noexcept {
    vkDeviceWaitIdle(device_);  // first: submitted frames still read the buffers
    invalidate_command_buffers();  // before the sets: recorded buffers refer to them
    vkDestroyDescriptorPool(
        device_, std::exchange(sets_, {}), nullptr);  // the sets name the buffer
    vkDestroyBuffer(device_, std::exchange(buffer_, {}), nullptr);  // bound to the memory
    vkFreeMemory(device_, std::exchange(memory_, {}), nullptr);
  }

  // New sets invalidate every command buffer recorded against the old ones: in the same call.
  void replace_descriptors(VkDescriptorPool sets) {
    vkDeviceWaitIdle(device_);
    invalidate_command_buffers();
    vkDestroyDescriptorPool(device_, std::exchange(sets_, sets), nullptr);
  }

 private:
  void invalidate_command_buffers() noexcept {
    if (recorded_.empty()) return;
    vkFreeCommandBuffers(device_, pool_, static_cast<uint32_t>(recorded_.size()), recorded_.data());
    recorded_.clear();  // the next frame records anew
  }
  VkDevice device_;
  VkCommandPool pool_;
  VkDescriptorPool sets_ = VK_NULL_HANDLE;
  VkBuffer buffer_ = VK_NULL_HANDLE;  // set by the upload, as its memory is
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> recorded_;
};
// snippet: end
