// Runs the Vulkan half of the memory snippets on whatever Vulkan driver is here: export, transfer point, import, fence,
// match by UUID, fd table. The failing import is in driver_calls.cpp: lavapipe closes the fd there, against the
// specification.

#include <fcntl.h>

#include <cstdint>

#include "closes.hpp"
#include "cpu_fence.hpp"
#include "expect.hpp"
#include "fd_growth.hpp"
#include "sync_mode.hpp"
#include "vk_export_buffer.hpp"
#include "vk_export_fd.hpp"
#include "vk_export_image.hpp"
#include "vk_external_barrier.hpp"
#include "vk_import_memory.hpp"
#include "vk_match_uuid.hpp"
#include "vulkan.hpp"

namespace {

constexpr VkDeviceSize kBytes = 64 * 1024;
constexpr VkFlags kUsage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

void fill(const Vulkan& vk, VkBuffer buffer, uint32_t value) {
  const VkCommandBuffer commands = vk.record([&](VkCommandBuffer c) { vkCmdFillBuffer(c, buffer, 0, kBytes, value); });
  const VkFence fence = vk.create_fence();
  vk.submit(commands, fence);
  wait_for_frame(vk.device, fence);
  vkDestroyFence(vk.device, fence, nullptr);
  vkFreeCommandBuffers(vk.device, vk.pool, 1, &commands);
}

// All words of `memory` are `value`. lavapipe's device memory is host-visible; elsewhere nothing is read.
bool holds(VkDevice device, VkDeviceMemory memory, uint32_t value) {
  void* mapped = nullptr;
  check(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  const auto* words = static_cast<const uint32_t*>(mapped);
  bool same = true;
  for (VkDeviceSize i = 0; i < kBytes / 4; ++i) same = same && words[i] == value;
  vkUnmapMemory(device, memory);
  return same;
}

void consumer_sees_the_latest_frame(const Vulkan& vk) {
  const ExportableBuffer producer(vk.gpu, vk.device, kBytes, kUsage);
  UniqueFd fd = export_memory_fd(vk.device, producer.memory);
  const int number = fd.get();
  const VkDeviceMemory imported = import_memory(vk.device, std::move(fd), producer.size, producer.memory_type);
  EXPECT(fd.get() == -1);
  EXPECT(number >= 0);
  for (uint32_t frame = 1; frame <= 5; ++frame) {
    fill(vk, producer.buffer, frame);
    EXPECT(holds(vk.device, imported, frame));  // no copy in between: the same memory
  }
  vkFreeMemory(vk.device, imported, nullptr);
}

void export_and_import_leak_no_fd(const Vulkan& vk) {
  const ExportableBuffer producer(vk.gpu, vk.device, kBytes, kUsage);
  expect_no_fd_growth(20, [&] {
    const VkDeviceMemory memory =
        import_memory(vk.device, export_memory_fd(vk.device, producer.memory), producer.size, producer.memory_type);
    vkFreeMemory(vk.device, memory, nullptr);
  });
}

// The leak that fd_growth is for: it must be noticed.
void dropped_export_is_noticed(const Vulkan& vk) {
  const ExportableBuffer producer(vk.gpu, vk.device, kBytes, kUsage);
  std::vector<UniqueFd> dropped;
  EXPECT(throws<std::runtime_error>(
      [&] { expect_no_fd_growth(3, [&] { dropped.push_back(export_memory_fd(vk.device, producer.memory)); }); }));
}

void failed_allocation_destroys_the_buffer(const Vulkan& vk) {
  for (int i = 0; i < 3; ++i)
    EXPECT(throws<std::runtime_error>([&] { ExportableBuffer(vk.gpu, vk.device, VkDeviceSize{1} << 60, kUsage); }));
}

VkImage create_shared_image(const Vulkan& vk) {
  VkExternalMemoryImageCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.pNext = &external;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.extent = {64, 64, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
  VkImage image = VK_NULL_HANDLE;
  check(vkCreateImage(vk.device, &info, nullptr, &image), "vkCreateImage");
  return image;
}

// The first transition of a new image: it has no content yet that UNDEFINED could throw away.
void to_general(VkCommandBuffer commands, VkImage image) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                       0, nullptr, 1, &barrier);
}

void shared_image_goes_out_and_comes_back(const Vulkan& vk) {
  const VkImage image = create_shared_image(vk);
  VkDeviceSize size = 0;
  const VkDeviceMemory memory = allocate_exportable(vk.gpu, vk.device, image, size);
  EXPECT(size >= 64 * 64 * 4);
  EXPECT(export_memory_fd(vk.device, memory).get() >= 0);
  const VkCommandBuffer commands = vk.record([&](VkCommandBuffer c) {
    to_general(c, image);
    transfer_image(c, image, 0, VK_QUEUE_FAMILY_EXTERNAL);
    transfer_image(c, image, VK_QUEUE_FAMILY_EXTERNAL, 0);
  });
  const VkFence fence = vk.create_fence();
  vk.submit(commands, fence);
  wait_for_frame(vk.device, fence);
  vkDestroyFence(vk.device, fence, nullptr);
  vkDestroyImage(vk.device, image, nullptr);
  vkFreeMemory(vk.device, memory, nullptr);
}

void match_finds_this_device_and_no_other(const Vulkan& vk) {
  VkPhysicalDeviceIDProperties id{};
  id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &id;
  vkGetPhysicalDeviceProperties2(vk.gpu, &properties);
  std::array<uint8_t, VK_UUID_SIZE> uuid{};
  std::copy(std::begin(id.deviceUUID), std::end(id.deviceUUID), uuid.begin());
  EXPECT(find_vulkan_device(vk.instance, uuid) == vk.gpu);
  uuid[15] ^= 1;  // a sibling instance may differ in one byte
  EXPECT(throws<std::runtime_error>([&] { find_vulkan_device(vk.instance, uuid); }));
}

}  // namespace

int main() {
  const Vulkan vk({VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME});
  if (!vk.device) return skipped("no Vulkan device with VK_KHR_external_memory_fd");
  consumer_sees_the_latest_frame(vk);
  export_and_import_leak_no_fd(vk);
  dropped_export_is_noticed(vk);
  failed_allocation_destroys_the_buffer(vk);
  shared_image_goes_out_and_comes_back(vk);
  match_finds_this_device_and_no_other(vk);
  EXPECT(closed_twice == 0);
  const SyncMode mode = choose_sync_mode(vk.gpu);
  EXPECT(vk.offers({VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME}) || mode == SyncMode::kCpuFence);
  return 0;
}
