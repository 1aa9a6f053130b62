#include <cstring>
#include <utility>
#include <vector>

#include "bench_print.hpp"
#include "gpu/commands.hpp"
#include "gpu/shared_instance.hpp"
#include "publisher_session.hpp"
#include "render_load_comp.h"
#include "renderer/renderer.hpp"

namespace seamscope::measure {
namespace {

using gpu::Buffer;
constexpr uint32_t kSide = 16;  // of a work group

struct Push {
  uint32_t width, height, steps, frame;
};

// Those that the publisher asks for and the device offers.
std::vector<const char*> offered_extensions(VkPhysicalDevice physical) {
  uint32_t count = 0, wanted = 0;
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, all.data());
  const char* const* names = seamscope_vulkan_extensions(SEAMSCOPE_VULKAN_DEVICE, &wanted);
  std::vector<const char*> found;
  for (uint32_t i = 0; i < wanted; ++i)
    for (const auto& one : all)
      if (std::strcmp(names[i], one.extensionName) == 0) found.push_back(names[i]);
  return found;
}

// One recording and what to wait for before it is recorded again.
using Recording = std::unique_ptr<gpu::Commands>;

class VulkanRenderer final : public Renderer {
 public:
  explicit VulkanRenderer(FrameSize size) : size_(size) {}
  ~VulkanRenderer() override;
  Result<void> open();
  std::string device() const override { return device_->text(); }
  Result<Drawn> draw(After after) override;
  Result<void> finish() override { return gpu::wait_for(last_); }

 private:
  Result<void> open_device();
  Result<void> record_passes(gpu::Commands& commands);
  uint64_t record_publish(gpu::Commands& commands, Drawn& drawn);
  Result<void> submit(gpu::Commands& commands, uint64_t ticket, Drawn& drawn);

  FrameSize size_;
  std::shared_ptr<const VulkanInstance> instance_;
  std::shared_ptr<gpu::Device> device_;
  std::shared_ptr<gpu::ComputePipeline> pipeline_;
  std::shared_ptr<Buffer> images_[2], host_;
  Recording recordings_[kInFlight];
  seamscope_vulkan* publisher_ = nullptr;
  gpu::Ticket last_;
};

VulkanRenderer::~VulkanRenderer() {
  const auto idle = finish();
  if (idle && publisher_) seamscope_vulkan_close(publisher_);
}

Result<void> VulkanRenderer::open_device() {
  auto instance = gpu::shared_instance();
  if (!instance) return instance.error();
  instance_ = std::move(*instance);
  auto chosen = gpu::choose_device(*instance_, std::nullopt);
  if (!chosen) return chosen.error();
  gpu::DeviceOptions options;
  options.extensions = offered_extensions(chosen->physical);
  auto device = gpu::Device::create(instance_, chosen->info.uuid, options);
  if (!device) return device.error();
  device_ = std::move(*device);
  const seamscope_vulkan_desc desc = {instance_->get(), device_->physical(), device_->handle(),
                                      device_->compute().family(),
                                      reinterpret_cast<void (*)(void)>(vkGetInstanceProcAddr)};
  publisher_ = seamscope_vulkan_open(&desc);
  return {};
}

Result<void> VulkanRenderer::open() {
  if (auto opened = open_device(); !opened) return opened;
  auto pipeline = gpu::ComputePipeline::create(device_, {render_load_comp_spv, 0, 2, sizeof(Push)});
  if (!pipeline) return pipeline.error();
  pipeline_ = std::move(*pipeline);
  for (auto* image : {&images_[0], &images_[1], &host_}) {
    const auto use = image == &host_ ? gpu::MemoryUse::ReadBack : gpu::MemoryUse::Unmapped;
    auto buffer = Buffer::create(device_, size_.bytes(), use);
    if (!buffer) return buffer.error();
    *image = std::move(*buffer);
  }
  for (auto& recording : recordings_) {
    auto commands = gpu::Commands::create(device_, device_->compute());
    if (!commands) return commands.error();
    recording = std::move(*commands);
  }
  return {};
}

Result<void> VulkanRenderer::record_passes(gpu::Commands& commands) {
  if (frame_ == 0) commands.fill(*images_[1], 0, images_[1]->size(), 0);
  const Push push{size_.width, size_.height, steps_, frame_};
  for (uint32_t pass = 0; pass < kPasses; ++pass) {
    const gpu::BufferRange buffers[] = {{images_[pass & 1].get()}, {images_[1 - (pass & 1)].get()}};
    commands.barrier();
    auto recorded = commands.dispatch(*pipeline_, buffers, std::as_bytes(std::span(&push, 1)),
                                      (size_.width + kSide - 1) / kSide, (size_.height + kSide - 1) / kSide);
    if (!recorded) return recorded;
  }
  return {};
}

uint64_t VulkanRenderer::record_publish(gpu::Commands& commands, Drawn& drawn) {
  const auto desc = test::frame_of(size_.width, size_.height);
  seamscope_vulkan_source source{};
  source.buffer = images_[1]->handle();
  uint64_t ticket = 0;
  drawn.publish_us = bench::microseconds(
      [&] { ticket = seamscope_vulkan_record(publisher_, commands.handle(), "color", &source, &desc); });
  drawn.published = ticket ? SEAMSCOPE_PUBLISHED : SEAMSCOPE_UNWATCHED;
  return ticket;
}

Result<void> VulkanRenderer::submit(gpu::Commands& commands, uint64_t ticket, Drawn& drawn) {
  auto submitted = commands.submit();
  if (!submitted) {
    seamscope_vulkan_abandoned(ticket);
    return submitted.error();
  }
  last_ = *submitted;
  if (ticket) drawn.publish_us += bench::microseconds([&] { seamscope_vulkan_submitted(ticket, nullptr, nullptr, 0); });
  return {};
}

Result<Drawn> VulkanRenderer::draw(After after) {
  gpu::Commands& commands = *recordings_[frame_ % kInFlight];
  if (auto begun = commands.begin(); !begun) return begun.error();
  if (auto recorded = record_passes(commands); !recorded) return recorded.error();
  Drawn drawn;
  const uint64_t ticket = after == After::Publish ? record_publish(commands, drawn) : 0;
  if (after == After::Copy) {
    commands.barrier();
    commands.copy(*images_[1], *host_, size_.bytes());
    commands.barrier_to_host();
  }
  if (auto submitted = submit(commands, ticket, drawn); !submitted) return submitted.error();
  ++frame_;
  if (after != After::Copy) return drawn;
  if (auto done = finish(); !done) return done.error();
  if (auto seen = host_->invalidate(); !seen) return seen.error();
  return drawn;
}

}  // namespace

Result<std::unique_ptr<Renderer>> make_vulkan_renderer(FrameSize size) {
  auto renderer = std::make_unique<VulkanRenderer>(size);
  if (auto opened = renderer->open(); !opened) return opened.error();
  return std::unique_ptr<Renderer>(std::move(renderer));
}

}  // namespace seamscope::measure
