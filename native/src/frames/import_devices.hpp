#pragma once
// The Vulkan devices that publishers' memory is imported into: one a physical GPU and driver, opened when first needed.

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frames/message.hpp"
#include "gpu/device.hpp"

namespace seamscope::frames {

class ImportDevices {
 public:
  // `wrap` may replace entries of the devices' function tables.
  explicit ImportDevices(void (*wrap)(VolkDeviceTable&) = nullptr) : wrap_(wrap) {}

  using Found = std::variant<std::shared_ptr<gpu::Device>, Refusal>;

  // The device that the ring's UUIDs name, never another one: CUDA memory goes by the device's, Vulkan memory by the
  // driver's too. Blocks for as long as a driver takes to start. Thread-safe.
  Found find(const seamscope_ring& ring);

  // Why no device at all can be used; empty until that is known, or when one can.
  std::string problem() const;
  // One that is open and no CPU; nullptr: there is none.
  std::shared_ptr<gpu::Device> any_gpu() const;
  // Device-local bytes held beyond the imported slots.
  uint64_t gpu_memory_bytes() const;

 private:
  using Device = std::shared_ptr<gpu::Device>;

  Found open(const gpu::Uuid& device, const std::optional<gpu::Uuid>& driver);

  void (*const wrap_)(VolkDeviceTable&);
  std::mutex opening_;
  mutable std::mutex mutex_;
  std::vector<Device> devices_;
  std::string problem_;
};

}  // namespace seamscope::frames
