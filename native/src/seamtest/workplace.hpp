#pragma once
// The devices of one test process, opened when first needed and kept for all its runs: a CUDA context alone costs a
// third of a second.

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "gpu/device.hpp"
#include "interop/cuda_context.hpp"
#include "seamtest/cell.hpp"
#include "seamtest/side.hpp"

namespace seamscope::seamtest {

struct DeviceChoice {
  std::string vulkan_uuid;
  std::optional<int> cuda_ordinal;  // nothing: the host is the consumer
  bool validation = false;          // with the Khronos validation layer, where it is installed
};

class Workplace {
 public:
  explicit Workplace(DeviceChoice choice) : choice_(std::move(choice)) {}
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  bool has_cuda() const { return choice_.cuda_ordinal.has_value(); }
  const DeviceChoice& choice() const { return choice_; }

  Result<std::shared_ptr<gpu::Device>> vulkan();
  Result<std::shared_ptr<interop::CudaContext>> cuda();
  Result<std::unique_ptr<Partner>> make_partner(interop::Ledger& ledger, const Cell& cell);

  // Why a cell cannot run here, or empty. An error when the devices cannot be opened at all.
  Result<std::string> skip_reason(const Cell& cell);
  // What the devices can do, as JSON.
  Result<nlohmann::json> describe();

  // What the validation layer said since the last call.
  std::vector<std::string> take_validation_messages();
  bool validates() const { return messenger_ != VK_NULL_HANDLE; }

 private:
  struct Abilities {
    bool memory_fd = false, semaphore_fd = false, timeline_export = false, buffer_export = false;
  };
  Result<std::shared_ptr<const VulkanInstance>> instance();
  Result<std::shared_ptr<gpu::Device>> open_device();
  Result<std::shared_ptr<gpu::Device>> host_device();
  void listen(VkInstance instance);

  DeviceChoice choice_;
  std::vector<std::string> messages_;
  std::shared_ptr<const VulkanInstance> instance_;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  Abilities abilities_;
  std::shared_ptr<gpu::Device> vulkan_, host_;
  std::shared_ptr<interop::CudaContext> cuda_;
};

}  // namespace seamscope::seamtest
