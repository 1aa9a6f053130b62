#include "gpu/commands.hpp"

#include <vector>

#include "gpu/vulkan_error.hpp"

namespace seamscope::gpu {
namespace {

constexpr uint32_t kMaxDispatches = 256;  // in one recording
// Not the compute stage by name: a transfer-only queue has none.
constexpr VkPipelineStageFlags kStages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
constexpr VkAccessFlags kWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags kReads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

}  // namespace

Result<std::unique_ptr<Commands>> Commands::create(std::shared_ptr<Device> device, Queue& queue) {
  std::unique_ptr<Commands> commands(new Commands(std::move(device), queue));
  if (auto made = commands->make_pools(); !made) return made.error();
  return commands;
}

Result<void> Commands::make_pools() {
  const auto& vk = device_->vk();
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = queue_.family();
  VkResult result = vk.vkCreateCommandPool(device_->handle(), &pool, nullptr, &pool_);
  if (result != VK_SUCCESS) return vulkan_error("vkCreateCommandPool", result);

  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kMaxDispatches * 8},
                                        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kMaxDispatches}};
  VkDescriptorPoolCreateInfo sets{};
  sets.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  sets.maxSets = kMaxDispatches;
  sets.poolSizeCount = 2;
  sets.pPoolSizes = sizes;
  result = vk.vkCreateDescriptorPool(device_->handle(), &sets, nullptr, &sets_);
  if (result != VK_SUCCESS) return vulkan_error("vkCreateDescriptorPool", result);

  VkCommandBufferAllocateInfo buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  buffer.commandPool = pool_;
  buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  buffer.commandBufferCount = 1;
  return check("vkAllocateCommandBuffers", vk.vkAllocateCommandBuffers(device_->handle(), &buffer, &commands_));
}

Commands::~Commands() {
  if (!wait_for(last_) || device_->given_up()) return;
  device_->vk().vkDestroyDescriptorPool(device_->handle(), sets_, nullptr);
  device_->vk().vkDestroyCommandPool(device_->handle(), pool_, nullptr);
}

Result<void> Commands::begin() {
  if (auto done = wait_for(last_); !done) return done;
  const auto& vk = device_->vk();
  VkResult result = vk.vkResetCommandPool(device_->handle(), pool_, 0);
  if (result != VK_SUCCESS) return vulkan_error("vkResetCommandPool", result);
  vk.vkResetDescriptorPool(device_->handle(), sets_, 0);
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  return check("vkBeginCommandBuffer", vk.vkBeginCommandBuffer(commands_, &info));
}

void Commands::barrier() {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = kWrites;
  memory.dstAccessMask = kWrites | kReads;
  device_->vk().vkCmdPipelineBarrier(commands_, kStages, kStages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void Commands::barrier_to_host() {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = kWrites;
  memory.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  device_->vk().vkCmdPipelineBarrier(commands_, kStages, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, nullptr, 0,
                                     nullptr);
}

void Commands::fill(const Buffer& buffer, uint64_t offset, uint64_t bytes, uint32_t word) {
  device_->vk().vkCmdFillBuffer(commands_, buffer.handle(), offset, bytes, word);
}

void Commands::copy(const Buffer& from, uint64_t offset, const Buffer& to, uint64_t bytes) {
  const VkBufferCopy region{offset, 0, bytes};
  device_->vk().vkCmdCopyBuffer(commands_, from.handle(), to.handle(), 1, &region);
}

void Commands::acquire(const Buffer& imported) {
  VkBufferMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
  barrier.dstAccessMask = kReads;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL;
  barrier.dstQueueFamilyIndex = queue_.family();
  barrier.buffer = imported.handle();
  barrier.size = VK_WHOLE_SIZE;
  device_->vk().vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, kStages, 0, 0, nullptr, 1, &barrier,
                                     0, nullptr);
}

Result<VkDescriptorSet> Commands::describe(const ComputePipeline& pipeline, std::span<const BufferRange> buffers) {
  const VkDescriptorSetLayout layout = pipeline.set_layout();
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = sets_;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  const VkResult result = device_->vk().vkAllocateDescriptorSets(device_->handle(), &info, &set);
  if (result != VK_SUCCESS) return vulkan_error("vkAllocateDescriptorSets", result);
  std::vector<VkDescriptorBufferInfo> ranges;
  for (const auto& range : buffers)
    ranges.push_back({range.buffer->handle(), range.offset, range.bytes ? range.bytes : VK_WHOLE_SIZE});
  std::vector<VkWriteDescriptorSet> writes(ranges.size());
  for (uint32_t i = 0; i < writes.size(); ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = pipeline.type_of(i);
    writes[i].pBufferInfo = &ranges[i];
  }
  const auto count = static_cast<uint32_t>(writes.size());
  device_->vk().vkUpdateDescriptorSets(device_->handle(), count, writes.data(), 0, nullptr);
  return set;
}

Result<void> Commands::dispatch(const ComputePipeline& pipeline, std::span<const BufferRange> buffers,
                                std::span<const std::byte> push, uint32_t groups_x, uint32_t groups_y) {
  auto set = describe(pipeline, buffers);
  if (!set) return set.error();
  const auto& vk = device_->vk();
  vk.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
  vk.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout(), 0, 1, &*set, 0, nullptr);
  if (!push.empty())
    vk.vkCmdPushConstants(commands_, pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                          static_cast<uint32_t>(push.size()), push.data());
  vk.vkCmdDispatch(commands_, groups_x, groups_y, 1);
  return {};
}

Result<Ticket> Commands::submit(std::span<const Ticket> after) {
  const VkResult ended = device_->vk().vkEndCommandBuffer(commands_);
  if (ended != VK_SUCCESS) return vulkan_error("vkEndCommandBuffer", ended);
  auto ticket = queue_.submit(commands_, after);
  if (ticket) last_ = *ticket;
  return ticket;
}

Result<void> Commands::submit_and_wait(std::span<const Ticket> after) {
  auto ticket = submit(after);
  if (!ticket) return ticket.error();
  return wait_for(*ticket);
}

}  // namespace seamscope::gpu
