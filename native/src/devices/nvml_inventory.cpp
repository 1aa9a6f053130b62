#include "devices/nvml_inventory.hpp"

#include "devices/mig_inventory.hpp"
#include "devices/nvml_problems.hpp"
#include "devices/pci.hpp"

namespace seamscope {
namespace {

using nvml::Api;
using nvml::nvmlDevice_t;
using nvml::nvmlReturn_t;

Reason init_reason(const Api& api, nvmlReturn_t code, const std::string& kernel_version) {
  const std::string text = nvml::result_text(api, code), user = api.library.version();
  if (code == nvml::NVML_ERROR_LIB_RM_VERSION_MISMATCH) {
    const std::string unknown = "version unknown";
    return make_reason(ReasonCode::NvmlDriverMismatch,
                       {kernel_version.empty() ? unknown : kernel_version, user.empty() ? unknown : user}, text);
  }
  if (code == nvml::NVML_ERROR_NO_PERMISSION)
    return make_reason(ReasonCode::NvmlNoPermission, {"the GPUs of this machine"}, text);
  return make_reason(ReasonCode::NvmlInitFailed, {text}, text);
}

void read_usage(const Api& api, nvmlDevice_t handle, NvmlGpu& gpu, NvmlProblems& problems) {
  nvml::nvmlMemory_t memory{};
  if (problems.ok(api.memory_info(handle, &memory), "the memory size")) {
    gpu.memory_bytes = memory.total;
    gpu.memory_used_bytes = memory.used;
  }
  nvml::nvmlUtilization_t use{};
  if (problems.ok(api.utilization(handle, &use), "the utilisation")) gpu.utilization_percent = use.gpu;
  unsigned value = 0;
  if (problems.ok(api.temperature(handle, nvml::kTemperatureOfGpu, &value), "the temperature"))
    gpu.temperature_c = value;
  if (problems.ok(api.power_usage(handle, &value), "the power draw")) gpu.power_watts = value / 1000.0;
}

NvmlGpu describe(const Api& api, unsigned index) {
  NvmlGpu gpu;
  gpu.index = index;
  gpu.name = "GPU " + std::to_string(index);
  NvmlProblems problems(api, gpu.name, gpu.problems);
  nvmlDevice_t handle = nullptr;
  if (!problems.ok(api.device_by_index(index, &handle), gpu.name)) return gpu;

  char text[nvml::kTextBytes] = "";
  if (problems.ok(api.name(handle, text, sizeof text), "the name")) gpu.name = text;
  if (problems.ok(api.uuid(handle, text, sizeof text), "the UUID")) gpu.uuid = parse_uuid(text);
  nvml::nvmlPciInfo_t pci{};
  if (problems.ok(api.pci_info(handle, &pci), "the PCI address")) gpu.pci = normal_pci(pci.busId);
  read_usage(api, handle, gpu, problems);
  read_mig(api, handle, gpu, problems);
  return gpu;
}

}  // namespace

NvmlInventory NvmlMonitor::read(const std::string& kernel_version) {
  const std::lock_guard lock(mutex_);
  NvmlInventory inventory;
  NvmlFacts& facts = inventory.facts;
  inventory.library.name = "libnvidia-ml.so.1";
  if (!api_) {
    auto loaded = nvml::load();
    if (!loaded) {
      inventory.library.error = loaded.error().damaged ? loaded.error().message : loaded.error().detail;
      facts.reason = library_reason(ReasonCode::NvmlLibraryMissing, loaded.error());
      return inventory;
    }
    api_ = std::make_unique<nvml::Api>(std::move(*loaded));
  }
  inventory.library.path = api_->library.path();
  inventory.library.version = api_->library.version();

  if (!session_) {
    nvmlReturn_t code = nvml::NVML_SUCCESS;
    session_ = std::make_unique<nvml::Session>(*api_, &code);
    if (code != nvml::NVML_SUCCESS) {
      session_.reset();
      facts.reason = init_reason(*api_, code, kernel_version);
      return inventory;
    }
  }
  char text[nvml::kTextBytes] = "";
  if (api_->driver_version(text, sizeof text) == nvml::NVML_SUCCESS) facts.driver_version = text;
  unsigned count = 0;
  if (const auto code = api_->device_count(&count); code != nvml::NVML_SUCCESS) {
    const std::string words = nvml::result_text(*api_, code);
    facts.reason = make_reason(ReasonCode::NvmlCallFailed, {"the number of GPUs", words}, words);
    return inventory;
  }
  for (unsigned index = 0; index < count; ++index) facts.gpus.push_back(describe(*api_, index));
  facts.available = true;
  return inventory;
}

void NvmlMonitor::close() {
  const std::lock_guard lock(mutex_);
  session_.reset();
}

}  // namespace seamscope
