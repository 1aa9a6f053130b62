// What Vulkan records for a frame: the barriers that pass a slot to the other side and back, and the copies between an
// image slot and the buffer that shaders work on.

#include "gpu/vulkan_error.hpp"
#include "seamtest/vulkan_side.hpp"

namespace seamscope::seamtest {
namespace {

constexpr VkAccessFlags kAny = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
constexpr VkImageSubresourceRange kWhole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

// From `from` to `to`, either of which is the queue's family or EXTERNAL. The other side's accesses are ordered by the
// semaphore or the fence, so only this side's mask is set.
struct Passage {
  uint32_t from, to;
  VkPipelineStageFlags stages;
  VkAccessFlags source, destination;
  VkImageLayout old_layout;
};

void pass(const VolkDeviceTable& vk, VkCommandBuffer commands, const interop::VulkanMemory& slot, const Passage& way) {
  VkBufferMemoryBarrier buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
  buffer.srcAccessMask = way.source;
  buffer.dstAccessMask = way.destination;
  buffer.srcQueueFamilyIndex = way.from;
  buffer.dstQueueFamilyIndex = way.to;
  buffer.buffer = slot.buffer();
  buffer.size = VK_WHOLE_SIZE;
  VkImageMemoryBarrier image{};
  image.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  image.srcAccessMask = way.source;
  image.dstAccessMask = way.destination;
  image.oldLayout = way.old_layout;
  image.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  image.srcQueueFamilyIndex = way.from;
  image.dstQueueFamilyIndex = way.to;
  image.image = slot.image();
  image.subresourceRange = kWhole;
  const uint32_t images = slot.image() ? 1 : 0;
  vk.vkCmdPipelineBarrier(commands, way.stages, way.stages, 0, 0, nullptr, 1 - images, &buffer, images, &image);
}

void barrier(const VolkDeviceTable& vk, VkCommandBuffer commands) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = kAny;
  memory.dstAccessMask = kAny;
  vk.vkCmdPipelineBarrier(commands, kAll, kAll, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

VkBufferImageCopy whole_image(FrameShape shape) {
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {shape.width, shape.height, 1};
  return region;
}

}  // namespace

// An image gets its layout before the other side sees it, whoever writes first.
Result<void> VulkanSide::hand_over_images() {
  if (cell_.resource != Resource::Image) return {};
  const uint64_t place = kInFlight - 1;
  auto commands = begin(place);
  if (!commands) return commands.error();
  for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
    pass(device_->vk(), *commands, *slots_[slot],
         {VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, kAll, 0, kAny, VK_IMAGE_LAYOUT_UNDEFINED});
    release(*commands, slot, {kAll, kAny});
  }
  if (auto done = submit(place, *commands, {}, true); !done) return done;
  return wait_done(place);
}

void VulkanSide::acquire(VkCommandBuffer commands, uint32_t slot, Scope scope) {
  pass(device_->vk(), commands, *slots_[slot],
       {VK_QUEUE_FAMILY_EXTERNAL, device_->compute().family(), scope.stages, 0, scope.access, VK_IMAGE_LAYOUT_GENERAL});
}

void VulkanSide::release(VkCommandBuffer commands, uint32_t slot, Scope scope) {
  pass(device_->vk(), commands, *slots_[slot],
       {device_->compute().family(), VK_QUEUE_FAMILY_EXTERNAL, scope.stages, scope.access, 0, VK_IMAGE_LAYOUT_GENERAL});
}

// One dispatch touches a buffer. An image also goes through a scratch buffer, which the frames of its slot share.
VulkanSide::Scope VulkanSide::scope(VkAccessFlags shader_access) const {
  if (cell_.resource == Resource::Image) return {kAll, kAny};
  return {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, shader_access};
}

void VulkanSide::record_write(VkCommandBuffer commands, uint32_t slot, const Push& push) {
  const auto& vk = device_->vk();
  // The first frame of a buffer of our own: nobody else has had it yet.
  const bool fresh = push.frame <= cell_.slots && !slots_[slot]->imported() && cell_.resource == Resource::Buffer;
  const Scope writes = scope(VK_ACCESS_SHADER_WRITE_BIT);
  if (!fresh) acquire(commands, slot, writes);
  record(commands, slot, *write_, push);
  if (cell_.resource == Resource::Image) {
    barrier(vk, commands);
    const VkBufferImageCopy region = whole_image(cell_.shape);
    vk.vkCmdCopyBufferToImage(commands, scratch_[slot]->handle(), slots_[slot]->image(), VK_IMAGE_LAYOUT_GENERAL, 1,
                              &region);
  }
  release(commands, slot, writes);
}

void VulkanSide::record_check(VkCommandBuffer commands, uint32_t slot, const Push& push) {
  const auto& vk = device_->vk();
  const Scope reads = scope(VK_ACCESS_SHADER_READ_BIT);
  acquire(commands, slot, reads);
  if (cell_.resource == Resource::Image) {
    const VkBufferImageCopy region = whole_image(cell_.shape);
    vk.vkCmdCopyImageToBuffer(commands, slots_[slot]->image(), VK_IMAGE_LAYOUT_GENERAL, scratch_[slot]->handle(), 1,
                              &region);
    barrier(vk, commands);
  }
  record(commands, slot, *check_, push);
  release(commands, slot, reads);
}

Result<const std::byte*> VulkanSide::copy_to_staging(uint32_t slot) {
  if (!staging_) {
    auto made = gpu::Buffer::create(device_, cell_.shape.bytes(), gpu::MemoryUse::ReadBack);
    if (!made) return made.error();
    staging_ = std::move(*made);
  }
  const uint64_t place = kInFlight - 1;  // its frames are waited for one by one, so any place is free
  auto commands = begin(place);
  if (!commands) return commands.error();
  const VkBufferCopy region{0, 0, cell_.shape.bytes()};
  barrier(device_->vk(), *commands);
  device_->vk().vkCmdCopyBuffer(*commands, slots_[slot]->buffer(), staging_->handle(), 1, &region);
  barrier(device_->vk(), *commands);
  if (auto done = submit(place, *commands, {}, true); !done) return done.error();
  if (auto done = wait_done(place); !done) return done.error();
  if (auto done = staging_->invalidate(); !done) return done.error();
  return staging_->mapped().data();
}

}  // namespace seamscope::seamtest
