#include "frames/import_devices.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/shared_instance.hpp"

namespace seamscope::frames {
namespace {

gpu::Uuid uuid_of(const uint8_t (&bytes)[16]) {
  gpu::Uuid uuid;
  std::memcpy(uuid.data(), bytes, uuid.size());
  return uuid;
}

bool is(const gpu::Device& device, const gpu::Uuid& uuid, const std::optional<gpu::Uuid>& driver) {
  return device.info().uuid == uuid && (!driver || device.info().driver_uuid == *driver);
}

}  // namespace

ImportDevices::Found ImportDevices::find(const seamscope_ring& ring) {
  const bool is_vulkan = ring.memory == SEAMSCOPE_MEMORY_VULKAN;
  const uint32_t needed = SEAMSCOPE_HAS_DEVICE_UUID | (is_vulkan ? uint32_t{SEAMSCOPE_HAS_DRIVER_UUID} : 0u);
  if ((ring.flags & needed) != needed)
    return Refusal{SEAMSCOPE_REFUSED_DEVICE, is_vulkan
                                                 ? "Vulkan memory came without its device's and its driver's UUID."
                                                 : "GPU memory came without its device's UUID."};
  const gpu::Uuid uuid = uuid_of(ring.device_uuid);
  const auto driver = is_vulkan ? std::optional(uuid_of(ring.driver_uuid)) : std::nullopt;
  std::lock_guard one_at_a_time(opening_);
  {
    std::lock_guard lock(mutex_);
    const auto lost = [](const Device& device) { return device->given_up(); };
    devices_.erase(std::remove_if(devices_.begin(), devices_.end(), lost), devices_.end());
    for (const Device& device : devices_)
      if (is(*device, uuid, driver)) return device;
  }
  return open(uuid, driver);
}

ImportDevices::Found ImportDevices::open(const gpu::Uuid& uuid, const std::optional<gpu::Uuid>& driver) {
  auto instance = gpu::shared_instance();
  if (!instance) {
    std::lock_guard lock(mutex_);
    problem_ = instance.error().message;
    return Refusal{SEAMSCOPE_REFUSED_DEVICE, problem_};
  }
  gpu::DeviceOptions options;
  options.extensions = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME};
  options.driver_uuid = driver;
  options.wrap = wrap_;
  auto device = gpu::Device::create(*std::move(instance), uuid, options);
  if (!device) {
    const std::string where = driver ? " with the driver " + gpu::uuid_text(*driver) : "";
    return Refusal{SEAMSCOPE_REFUSED_DEVICE,
                   "The device " + gpu::uuid_text(uuid) + where + " cannot be used here: " + device.error().message};
  }
  std::lock_guard lock(mutex_);
  problem_.clear();
  devices_.push_back(*device);
  return *device;
}

std::string ImportDevices::problem() const {
  std::lock_guard lock(mutex_);
  return problem_;
}

std::shared_ptr<gpu::Device> ImportDevices::any_gpu() const {
  std::lock_guard lock(mutex_);
  for (const Device& device : devices_)
    if (!device->is_cpu() && !device->given_up()) return device;
  return nullptr;
}

uint64_t ImportDevices::gpu_memory_bytes() const {
  std::lock_guard lock(mutex_);
  uint64_t bytes = 0;
  for (const Device& device : devices_) bytes += device->gpu_memory_bytes();
  return bytes;
}

}  // namespace seamscope::frames
