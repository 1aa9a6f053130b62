#include "addon/source_open.hpp"

#include <optional>

#include "gpu/device.hpp"
#include "gpu/shared_instance.hpp"
#include "scene/scene.hpp"

namespace seamscope {
namespace {

Result<std::unique_ptr<FrameSource>> open_on_vulkan(std::optional<gpu::Uuid> uuid, const SceneOptions& options) {
  auto instance = gpu::shared_instance();
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
