#include "addon/source_open.hpp"

#include <mutex>
#include <optional>

#include "drivers/vulkan.hpp"
#include "gpu/device.hpp"
#include "scene/scene.hpp"

namespace seamscope {
namespace {

// The function table is the process's, so all sources share one instance, which ends with the last of them.
Result<std::shared_ptr<const VulkanInstance>> shared_instance() {
  static std::mutex mutex;
  static std::weak_ptr<const VulkanInstance> current;
  std::lock_guard lock(mutex);
  if (auto instance = current.lock()) return instance;
  auto created = VulkanInstance::create();
  if (!created) return created.error();
  auto instance = std::make_shared<const VulkanInstance>(*std::move(created));
  current = instance;
  return instance;
}

Result<std::unique_ptr<FrameSource>> open_on_vulkan(std::optional<gpu::Uuid> uuid, const SceneOptions& options) {
  auto instance = shared_instance();
  if (!instance) return instance.error();
  auto device = gpu::Device::create(*std::move(instance), uuid);
  if (!device) return device.error();
  return open_vulkan_scene(*std::move(device), options.width, options.height);
}

}  // namespace

Result<std::unique_ptr<FrameSource>> open_scene_source(const SceneOptions& options) {
  if (options.device == "host") return open_host_scene(options.width, options.height);
  if (options.device == "auto") {
    auto source = open_on_vulkan(std::nullopt, options);
    return source ? std::move(source) : open_host_scene(options.width, options.height);
  }
  const auto uuid = gpu::parse_uuid(options.device);
  if (!uuid)
    return Error{"\"" + options.device + "\" is not the UUID of a Vulkan device.",
                 "Choose a device of \"seamscope devices\", \"auto\" or \"host\".",
                 {}};
  return open_on_vulkan(uuid, options);
}

}  // namespace seamscope
