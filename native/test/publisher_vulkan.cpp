// Vulkan images and buffers through seamscope.h: layouts, formats, each way to tell that the commands have run, tickets
// that are given up, and the end of the device.

#include <doctest/doctest.h>

#include <cstring>
#include <functional>

#include "gpu_device.hpp"
#include "publisher_session.hpp"

namespace seamscope::test {
namespace {

constexpr uint32_t kWidth = 45, kHeight = 13;

// A device with what the publisher asks for, a command buffer, and the publisher's view of them.
class Program {
 public:
  static std::unique_ptr<Program> open() {
    auto instance = VulkanInstance::create();
    if (!instance) {
      MESSAGE("skipped: " << instance.error().message);
      return nullptr;
    }
    std::unique_ptr<Program> program(new Program);
    program->instance_ = std::make_shared<const VulkanInstance>(std::move(*instance));
    gpu::DeviceOptions options;
    options.extensions = {"VK_KHR_external_memory_fd"};
    auto device = gpu::Device::create(program->instance_, std::nullopt, options);
    if (!device) {
      MESSAGE("skipped: " << device.error().message);
      return nullptr;
    }
    program->device_ = *device;
    program->prepare();
    return program;
  }
  ~Program() {
    vk().vkDeviceWaitIdle(handle());
    seamscope_vulkan_close(preview_);
    for (const auto image : images_) vk().vkDestroyImage(handle(), image, nullptr);
    for (const auto memory : memories_) vk().vkFreeMemory(handle(), memory, nullptr);
    vk().vkDestroyFence(handle(), fence_, nullptr);
    vk().vkDestroySemaphore(handle(), timeline_, nullptr);
    vk().vkDestroyCommandPool(handle(), pool_, nullptr);
  }

  const VolkDeviceTable& vk() const { return device_->vk(); }
  VkDevice handle() const { return device_->handle(); }
  const std::shared_ptr<gpu::Device>& device() const { return device_; }
  VkCommandBuffer commands() const { return commands_; }
  VkFence fence() const { return fence_; }
  VkSemaphore timeline() const { return timeline_; }
  seamscope_vulkan* preview() const { return preview_; }
  void close_preview() { seamscope_vulkan_close(std::exchange(preview_, nullptr)); }

  VkImage make_image(VkFormat format, VkImageUsageFlags usage) {
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {kWidth, kHeight, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    REQUIRE(vk().vkCreateImage(handle(), &info, nullptr, &images_.emplace_back()) == VK_SUCCESS);
    VkMemoryRequirements needs{};
    vk().vkGetImageMemoryRequirements(handle(), images_.back(), &needs);
    VkMemoryAllocateInfo memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    memory.allocationSize = needs.size;
    memory.memoryTypeIndex = device_->memory_type(needs.memoryTypeBits, 0).value_or(0);
    REQUIRE(vk().vkAllocateMemory(handle(), &memory, nullptr, &memories_.emplace_back()) == VK_SUCCESS);
    REQUIRE(vk().vkBindImageMemory(handle(), images_.back(), memories_.back(), 0) == VK_SUCCESS);
    return images_.back();
  }

  void begin() {
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    REQUIRE(vk().vkBeginCommandBuffer(commands_, &info) == VK_SUCCESS);
  }
  // `value` 0: the timeline is not signalled.
  void submit(VkFence fence = VK_NULL_HANDLE, uint64_t value = 0) {
    REQUIRE(vk().vkEndCommandBuffer(commands_) == VK_SUCCESS);
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &value;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands_;
    if (value) {
      info.pNext = &values;
      info.signalSemaphoreCount = 1;
      info.pSignalSemaphores = &timeline_;
    }
    std::lock_guard lock(mutex_);
    REQUIRE(vk().vkQueueSubmit(queue_, 1, &info, fence) == VK_SUCCESS);
  }
  void idle() { vk().vkDeviceWaitIdle(handle()); }

 private:
  Program() = default;

  void prepare() {
    vk().vkGetDeviceQueue(handle(), device_->compute().family(), 0, &queue_);
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = device_->compute().family();
    REQUIRE(vk().vkCreateCommandPool(handle(), &pool, nullptr, &pool_) == VK_SUCCESS);
    VkCommandBufferAllocateInfo commands{};
    commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    commands.commandPool = pool_;
    commands.commandBufferCount = 1;
    REQUIRE(vk().vkAllocateCommandBuffers(handle(), &commands, &commands_) == VK_SUCCESS);
    VkFenceCreateInfo fence{};
    fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    REQUIRE(vk().vkCreateFence(handle(), &fence, nullptr, &fence_) == VK_SUCCESS);
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo semaphore{};
    semaphore.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    semaphore.pNext = &type;
    REQUIRE(vk().vkCreateSemaphore(handle(), &semaphore, nullptr, &timeline_) == VK_SUCCESS);
    seamscope_vulkan_desc desc{};
    desc.instance = instance_->get();
    desc.physical_device = device_->physical();
    desc.device = handle();
    desc.queue_family = device_->compute().family();
    desc.get_instance_proc_addr = reinterpret_cast<void (*)()>(vkGetInstanceProcAddr);
    preview_ = seamscope_vulkan_open(&desc);
    REQUIRE(preview_);
  }

  std::shared_ptr<const VulkanInstance> instance_;
  std::shared_ptr<gpu::Device> device_;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::vector<VkImage> images_;
  std::vector<VkDeviceMemory> memories_;
  std::mutex mutex_;
  seamscope_vulkan* preview_ = nullptr;
};

VkImageSubresourceRange range_of(VkImageAspectFlags aspect) {
  return {aspect, 0, 1, 0, 1};
}

void transition(const Program& program, VkImage image, VkImageAspectFlags aspect, VkImageLayout from,
                VkImageLayout to) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_MEMORY_READ_BIT;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = range_of(aspect);
  program.vk().vkCmdPipelineBarrier(program.commands(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                    VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

// Clears the image in one layout, leaves it in another, and publishes it there.
uint64_t record_cleared(Program& program, VkImage image, VkFormat format, VkImageLayout layout) {
  const bool is_depth = format == VK_FORMAT_D32_SFLOAT;
  const VkImageAspectFlags aspect = is_depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  const auto range = range_of(aspect);
  program.begin();
  transition(program, image, aspect, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  const VkClearColorValue color{{0.25f, 0.5f, 1, 2}};
  const VkClearDepthStencilValue depth{0.75f, 0};
  if (is_depth)
    program.vk().vkCmdClearDepthStencilImage(program.commands(), image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &depth, 1,
                                             &range);
  else
    program.vk().vkCmdClearColorImage(program.commands(), image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1,
                                      &range);
  if (layout != VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL)
    transition(program, image, aspect, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, layout);
  seamscope_vulkan_source source{};
  source.image = image;
  source.layout = static_cast<uint32_t>(layout);
  source.format = static_cast<uint32_t>(format);
  seamscope_frame_desc desc{};
  desc.width = kWidth;
  desc.height = kHeight;
  return seamscope_vulkan_record(program.preview(), program.commands(), "image", &source, &desc);
}

template <typename T>
bool all_texels(const HubFrame& frame, const std::vector<T>& texel) {
  const auto& desc = frame.header.desc;
  for (uint32_t y = 0; y < kHeight; ++y)
    for (uint32_t x = 0; x < kWidth; ++x)
      if (std::memcmp(frame.bytes.data() + y * desc.row_stride + x * desc.pixel_stride, texel.data(),
                      texel.size() * sizeof(T)) != 0)
        return false;
  return true;
}

std::vector<uint32_t> paths_here(const Program& program) {
  std::vector<uint32_t> paths = {SEAMSCOPE_PATH_HOST};
  if (program.device()->is_cpu()) paths.push_back(SEAMSCOPE_PATH_HOST | SEAMSCOPE_PATH_DEVICE);
  return paths;
}

// One frame, however often it takes until a ring is there.
std::optional<HubFrame> one_frame(TestHub& hub, Program& program, uint32_t output,
                                  const std::function<uint64_t()>& record) {
  return first_frame(hub, output, [&] {
    const uint64_t ticket = record();
    program.submit();
    seamscope_vulkan_submitted(ticket, nullptr, nullptr, 0);
    program.idle();
  });
}

}  // namespace

TEST_CASE("publisher, Vulkan: images of several formats out of several layouts") {
  const auto program = Program::open();
  if (!program) return;
  const VkImage half = program->make_image(VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  const VkImage depth = program->make_image(VK_FORMAT_D32_SFLOAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  for (const uint32_t paths : paths_here(*program)) {
    CAPTURE(paths);
    TestHub hub({paths, true});
    const PublisherSession session(hub.path());
    const auto output = watch(hub, "image");
    REQUIRE(output);
    for (const auto layout : {VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                              VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL}) {
      CAPTURE(layout);
      const auto frame = one_frame(hub, *program, *output, [&] {
        return record_cleared(*program, half, VK_FORMAT_R16G16B16A16_SFLOAT, layout);
      });
      REQUIRE(frame);
      CHECK(frame->header.desc.dtype == SEAMSCOPE_F16);
      CHECK(frame->header.desc.kind == SEAMSCOPE_HDR);
      CHECK(all_texels<uint16_t>(*frame, {0x3400, 0x3800, 0x3C00, 0x4000}));
    }
    const auto frame = one_frame(hub, *program, *output, [&] {
      return record_cleared(*program, depth, VK_FORMAT_D32_SFLOAT, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    });
    REQUIRE(frame);
    CHECK(frame->header.desc.kind == SEAMSCOPE_DEPTH);
    CHECK(all_texels<float>(*frame, {0.75f}));
    program->idle();
  }
}

TEST_CASE("publisher, Vulkan: a buffer with an offset and padded rows") {
  const auto program = Program::open();
  if (!program) return;
  auto buffer = gpu::Buffer::create(program->device(), 16384, gpu::MemoryUse::Upload);
  REQUIRE(buffer);
  for (size_t i = 0; i < 16384; ++i) (*buffer)->mapped()[i] = static_cast<std::byte>(i * 7 + i / 256);
  seamscope_frame_desc desc = frame_of(kWidth, kHeight, SEAMSCOPE_U16, 2);
  desc.offset = 260;
  desc.row_stride = 256;
  for (const uint32_t paths : paths_here(*program)) {
    TestHub hub({paths, true});
    const PublisherSession session(hub.path());
    const auto output = watch(hub, "buffer");
    REQUIRE(output);
    const auto frame = one_frame(hub, *program, *output, [&] {
      seamscope_vulkan_source source{};
      source.buffer = (*buffer)->handle();
      program->begin();
      return seamscope_vulkan_record(program->preview(), program->commands(), "buffer", &source, &desc);
    });
    REQUIRE(frame);
    const auto& got = frame->header.desc;
    for (uint32_t y = 0; y < kHeight; ++y)
      CHECK(std::memcmp(frame->bytes.data() + got.offset + y * got.row_stride,
                        (*buffer)->mapped().data() + desc.offset + y * desc.row_stride, kWidth * 4) == 0);
  }
}

TEST_CASE("publisher, Vulkan: frames become ready when their commands have run, however that is told") {
  const auto program = Program::open();
  if (!program) return;
  const VkImage image = program->make_image(VK_FORMAT_R16G16B16A16_SFLOAT, 0);
  TestHub hub;
  const PublisherSession session(hub.path());
  const auto output = watch(hub, "image");
  REQUIRE(output);
  const auto record = [&] {
    return record_cleared(*program, image, VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_LAYOUT_GENERAL);
  };
  REQUIRE(one_frame(hub, *program, *output, record));
  const std::vector<std::pair<VkFence, uint64_t>> ways = {
      {program->fence(), 0}, {VK_NULL_HANDLE, 3}, {VK_NULL_HANDLE, 0}};
  for (const auto& [fence, value] : ways) {
    CAPTURE(value);
    const uint64_t ticket = record();
    REQUIRE(ticket);
    seamscope_vulkan_submitted(ticket, fence, value ? program->timeline() : nullptr, value);
    hub.pump(30);
    CHECK_FALSE(hub.take(*output));  // nothing has run yet
    program->submit(fence, value);
    std::optional<HubFrame> frame;
    CHECK(hub.pump_until([&] { return (frame = hub.take(*output)).has_value(); }));
    program->idle();
  }
}

TEST_CASE("publisher, Vulkan: a ticket that is given up gives its slot back") {
  const auto program = Program::open();
  if (!program) return;
  const VkImage image = program->make_image(VK_FORMAT_R16G16B16A16_SFLOAT, 0);
  TestHub hub;
  const PublisherSession session(hub.path());
  const auto output = watch(hub, "image");
  REQUIRE(output);
  const auto record = [&] {
    return record_cleared(*program, image, VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_LAYOUT_GENERAL);
  };
  REQUIRE(one_frame(hub, *program, *output, record));
  for (int i = 0; i < 10; ++i) {
    const uint64_t ticket = record();
    CHECK(ticket != 0);
    seamscope_vulkan_abandoned(ticket);
  }
  CHECK_FALSE(hub.take(*output));
  CHECK(one_frame(hub, *program, *output, record));
}

TEST_CASE("publisher, Vulkan: the device may go while it is watched") {
  TestHub hub;
  const PublisherSession session(hub.path());
  for (int i = 0; i < 2; ++i) {
    const auto program = Program::open();
    if (!program) return;
    const VkImage image = program->make_image(VK_FORMAT_R16G16B16A16_SFLOAT, 0);
    seamscope_wanted("image");
    const auto output = watch(hub, "image");
    REQUIRE(output);
    REQUIRE(one_frame(hub, *program, *output, [&] {
      return record_cleared(*program, image, VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_LAYOUT_GENERAL);
    }));
    program->close_preview();
    CHECK(hub.pump_until([&] { return !hub.is_connected(); }));
  }
  // Calls without a device do nothing.
  seamscope_vulkan_source source{};
  const auto desc = frame_of(4, 4);
  CHECK(seamscope_vulkan_record(nullptr, nullptr, "image", &source, &desc) == 0);
  seamscope_vulkan_submitted(0, nullptr, nullptr, 0);
  seamscope_vulkan_abandoned(0);
}

}  // namespace seamscope::test
