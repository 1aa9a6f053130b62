#include "seamtest/vulkan_side.hpp"

#include <algorithm>
#include <tuple>

#include "gpu/commands.hpp"
#include "gpu/vulkan_error.hpp"
#include "seam_check_comp.h"
#include "seam_write_comp.h"

namespace seamscope::seamtest {
namespace {

constexpr uint64_t kWaitNs = 10'000'000'000;
constexpr uint32_t kGroup = 256, kMostGroups = 1024;

}  // namespace

Result<std::unique_ptr<VulkanSide>> VulkanSide::create(std::shared_ptr<gpu::Device> device, interop::Ledger& ledger,
                                                       const Cell& cell, bool host_visible) {
  std::unique_ptr<VulkanSide> side(new VulkanSide(std::move(device), ledger, cell, host_visible));
  if (auto made = side->make_pipelines(); !made) return made.error();
  if (auto made = side->make_commands(); !made) return made.error();
  return side;
}

Result<void> VulkanSide::make_pipelines() {
  const auto make = [&](std::span<const uint32_t> spirv) {
    gpu::PipelineDesc desc;
    desc.spirv = spirv;
    desc.storage_buffers = 2;
    desc.push_bytes = sizeof(Push);
    return gpu::ComputePipeline::create(device_, desc);
  };
  auto write = make(seam_write_comp_spv);
  if (!write) return write.error();
  write_ = std::move(*write);
  auto check = make(seam_check_comp_spv);
  if (!check) return check.error();
  check_ = std::move(*check);
  if (auto made = make_totals(); !made) return made;
  for (uint32_t i = 0; cell_.resource == Resource::Image && i < cell_.slots; ++i) {
    auto scratch = gpu::Buffer::create(device_, cell_.shape.bytes(), gpu::MemoryUse::Unmapped);
    if (!scratch) return scratch.error();
    scratch_.push_back(std::move(*scratch));
  }
  return {};
}

// Counted in the GPU's own memory: atomics across the bus would slow every check down.
Result<void> VulkanSide::make_totals() {
  const uint64_t bytes = (uint64_t{cell_.total_frames()} + 1) * 4;
  auto totals = gpu::Buffer::create(device_, bytes, gpu::MemoryUse::Unmapped);
  if (!totals) return totals.error();
  totals_ = std::move(*totals);
  auto commands = gpu::Commands::create(device_, device_->compute());
  if (!commands) return commands.error();
  if (auto begun = (*commands)->begin(); !begun) return begun;
  (*commands)->fill(*totals_, 0, bytes, 0);
  (*commands)->barrier();
  return (*commands)->submit_and_wait();
}

Result<void> VulkanSide::make_commands() {
  const auto& vk = device_->vk();
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = device_->compute().family();
  auto done = gpu::check("vkCreateCommandPool", vk.vkCreateCommandPool(device_->handle(), &pool, nullptr, &pool_));
  if (!done) return done;
  VkCommandBufferAllocateInfo buffers{};
  buffers.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  buffers.commandPool = pool_;
  buffers.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  buffers.commandBufferCount = kInFlight;
  done = gpu::check("vkAllocateCommandBuffers",
                    vk.vkAllocateCommandBuffers(device_->handle(), &buffers, commands_.data()));
  if (!done) return done;
  for (auto& fence : fences_) {
    VkFenceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    done = gpu::check("vkCreateFence", vk.vkCreateFence(device_->handle(), &info, nullptr, &fence));
    if (!done) return done;
  }
  return {};
}

interop::VulkanMemoryDesc VulkanSide::desc(uint32_t slot) const {
  return {cell_.shape, cell_.resource, host_visible_, "slot " + std::to_string(slot), "Vulkan", device_id_};
}

Result<std::vector<interop::MemoryHandover>> VulkanSide::create_slots() {
  std::vector<interop::MemoryHandover> handovers;
  for (uint32_t i = 0; i < cell_.slots; ++i) {
    auto slot = interop::VulkanMemory::create_exportable(device_, ledger_, desc(i));
    if (!slot) return slot.error();
    slots_.push_back(std::move(*slot));
    auto handover = slots_.back()->export_memory();
    if (!handover) return handover.error();
    handovers.push_back(std::move(*handover));
  }
  if (auto made = make_sets(); !made) return made.error();
  if (auto done = hand_over_images(); !done) return done.error();
  return handovers;
}

Result<void> VulkanSide::import_slots(std::vector<interop::MemoryHandover> handovers) {
  for (uint32_t i = 0; i < handovers.size(); ++i) {
    auto slot = interop::VulkanMemory::import(device_, ledger_, desc(i), std::move(handovers[i]));
    if (!slot) return slot.error();
    slots_.push_back(std::move(*slot));
  }
  return make_sets();
}

Result<VulkanSide::Timelines> VulkanSide::create_timelines() {
  Timelines out;
  for (auto [timeline, name, handover] :
       {std::tuple{&ready_, "ready", &out.ready}, {&released_, "released", &out.released}}) {
    auto made = interop::VulkanTimeline::create(device_, ledger_, name);
    if (!made) return made.error();
    *timeline = std::move(*made);
    auto exported = (*timeline)->export_semaphore();
    if (!exported) return exported.error();
    *handover = std::move(*exported);
  }
  return out;
}

Result<void> VulkanSide::make_sets() {
  const auto& vk = device_->vk();
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 * cell_.slots};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = cell_.slots;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  auto done =
      gpu::check("vkCreateDescriptorPool", vk.vkCreateDescriptorPool(device_->handle(), &pool, nullptr, &set_pool_));
  if (!done) return done;
  const std::vector<VkDescriptorSetLayout> layouts(cell_.slots, write_->set_layout());
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = set_pool_;
  info.descriptorSetCount = cell_.slots;
  info.pSetLayouts = layouts.data();
  sets_.resize(cell_.slots);
  done = gpu::check("vkAllocateDescriptorSets", vk.vkAllocateDescriptorSets(device_->handle(), &info, sets_.data()));
  if (!done) return done;
  for (uint32_t i = 0; i < cell_.slots; ++i) {
    const VkBuffer words = scratch_.empty() ? slots_[i]->buffer() : scratch_[i]->handle();
    const VkDescriptorBufferInfo ranges[] = {{words, 0, VK_WHOLE_SIZE}, {totals_->handle(), 0, VK_WHOLE_SIZE}};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = sets_[i];
    write.descriptorCount = 2;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = ranges;
    vk.vkUpdateDescriptorSets(device_->handle(), 1, &write, 0, nullptr);
  }
  return {};
}

VkResult VulkanSide::wait_for(size_t place) const {
  const auto& vk = device_->vk();
  const Submitted& work = submitted_[place];
  if (!work.timeline) return vk.vkWaitForFences(device_->handle(), 1, &fences_[place], VK_TRUE, kWaitNs);
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &work.timeline;
  info.pValues = &work.value;
  return vk.vkWaitSemaphores(device_->handle(), &info, kWaitNs);
}

Result<void> VulkanSide::wait_done(uint64_t frame) {
  const size_t place = frame % kInFlight;
  if (frame == 0 || !submitted_[place].pending) return {};
  const char* call = submitted_[place].timeline ? "vkWaitSemaphores" : "vkWaitForFences";
  if (device_->given_up()) return gpu::vulkan_error(call, VK_ERROR_DEVICE_LOST);
  const VkResult result = wait_for(place);
  if (result != VK_SUCCESS) device_->give_up();  // the GPU may still work: nothing of it can be destroyed safely
  if (result == VK_TIMEOUT)
    return Error{std::string(call) + ": Vulkan did not finish frame " + std::to_string(frame) + " within 10 s.",
                 "Another program may keep the GPU busy, or a wait is never satisfied: run the test again.",
                 "VK_TIMEOUT"};
  return gpu::check(call, result);
}

Result<void> VulkanSide::wait_all() {
  for (uint64_t place = 1; place <= kInFlight; ++place)
    if (auto done = wait_done(place); !done) return done;
  return {};
}

Result<VkCommandBuffer> VulkanSide::begin(uint64_t frame) {
  const auto& vk = device_->vk();
  const size_t place = frame % kInFlight;
  if (auto done = wait_done(frame); !done) return done.error();  // the frame that used this place before
  const bool fence_used = submitted_[place].pending && !submitted_[place].timeline;
  submitted_[place] = {};
  if (fence_used)
    if (auto done = gpu::check("vkResetFences", vk.vkResetFences(device_->handle(), 1, &fences_[place])); !done)
      return done.error();
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  auto begun = gpu::check("vkBeginCommandBuffer", vk.vkBeginCommandBuffer(commands_[place], &info));
  if (!begun) return begun.error();
  return commands_[place];
}

Result<void> VulkanSide::submit(uint64_t frame, VkCommandBuffer commands, FrameSync sync, bool writes) {
  const auto& vk = device_->vk();
  if (auto done = gpu::check("vkEndCommandBuffer", vk.vkEndCommandBuffer(commands)); !done) return done;
  const VkSemaphore wait = sync.wait ? (writes ? released_ : ready_)->handle() : VK_NULL_HANDLE;
  const VkSemaphore signal = sync.signal ? (writes ? ready_ : released_)->handle() : VK_NULL_HANDLE;
  const VkPipelineStageFlags stage = scope(0).stages;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = wait ? 1 : 0;
  values.pWaitSemaphoreValues = &sync.wait;
  values.signalSemaphoreValueCount = signal ? 1 : 0;
  values.pSignalSemaphoreValues = &sync.signal;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = wait ? 1 : 0;
  info.pWaitSemaphores = &wait;
  info.pWaitDstStageMask = &stage;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = signal ? 1 : 0;
  info.pSignalSemaphores = &signal;
  const size_t place = frame % kInFlight;
  const VkFence fence = signal ? VK_NULL_HANDLE : fences_[place];
  const VkResult result = vk.vkQueueSubmit(device_->compute().handle(), 1, &info, fence);
  if (result == VK_SUCCESS) submitted_[place] = {true, signal, sync.signal};
  return gpu::check("vkQueueSubmit", result);
}

Result<void> VulkanSide::write(uint32_t slot, uint64_t frame, FrameSync sync) {
  auto commands = begin(frame);
  if (!commands) return commands.error();
  record_write(*commands, slot, {cell_.shape.words(), static_cast<uint32_t>(frame), 0});
  return submit(frame, *commands, sync, true);
}

Result<void> VulkanSide::check(uint32_t slot, uint64_t frame, uint64_t expected, FrameSync sync) {
  auto commands = begin(frame);
  if (!commands) return commands.error();
  record_check(*commands, slot, {cell_.shape.words(), static_cast<uint32_t>(expected), static_cast<uint32_t>(frame)});
  return submit(frame, *commands, sync, false);
}

void VulkanSide::record(VkCommandBuffer commands, uint32_t slot, const gpu::ComputePipeline& pipeline,
                        const Push& push) {
  const auto& vk = device_->vk();
  vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
  vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout(), 0, 1, &sets_[slot], 0,
                             nullptr);
  vk.vkCmdPushConstants(commands, pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
  vk.vkCmdDispatch(commands, std::min((push.count + kGroup - 1) / kGroup, kMostGroups), 1, 1);
}

Result<std::vector<uint32_t>> VulkanSide::matches() {
  auto host = gpu::Buffer::create(device_, totals_->size(), gpu::MemoryUse::ReadBack);
  if (!host) return host.error();
  auto commands = gpu::Commands::create(device_, device_->compute());
  if (!commands) return commands.error();
  if (auto begun = (*commands)->begin(); !begun) return begun.error();
  (*commands)->barrier();
  (*commands)->copy(*totals_, **host, totals_->size());
  (*commands)->barrier_to_host();
  if (auto done = (*commands)->submit_and_wait(); !done) return done.error();
  if (auto done = (*host)->invalidate(); !done) return done.error();
  const auto* words = reinterpret_cast<const uint32_t*>((*host)->mapped().data());
  return std::vector<uint32_t>(words + 1, words + 1 + cell_.total_frames());
}

// Idle first; then what refers to the slots, the slots, and the timelines that nobody waits for any more.
VulkanSide::~VulkanSide() {
  const bool idle = static_cast<bool>(wait_all());
  const auto& vk = device_->vk();
  if (idle && !device_->given_up()) {
    for (const auto fence : fences_) vk.vkDestroyFence(device_->handle(), fence, nullptr);
    vk.vkDestroyCommandPool(device_->handle(), pool_, nullptr);
    vk.vkDestroyDescriptorPool(device_->handle(), set_pool_, nullptr);
  }
  slots_.clear();
  released_.reset();
  ready_.reset();
}

}  // namespace seamscope::seamtest
