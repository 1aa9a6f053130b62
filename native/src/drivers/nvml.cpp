#include "drivers/nvml.hpp"

namespace seamscope::nvml {
namespace {

template <typename... Arguments>
nvmlReturn_t missing(Arguments...) {
  return NVML_ERROR_FUNCTION_NOT_FOUND;
}

template <typename... Arguments>
void bind(const DynamicLibrary& library, const char* symbol, nvmlReturn_t (*&function)(Arguments...)) {
  if (!library.load(symbol, function)) function = missing<Arguments...>;
}

const std::vector<std::string>& candidates() {
  static const std::vector<std::string> names = {
      "libnvidia-ml.so.1",
      "/usr/lib/wsl/lib/libnvidia-ml.so.1",
      "/usr/local/nvidia/lib64/libnvidia-ml.so.1",
      "/run/opengl-driver/lib/libnvidia-ml.so.1",
  };
  return names;
}

void bind_all(Api& api) {
  const auto& library = api.library;
  library.load("nvmlErrorString", api.error_string);
  bind(library, "nvmlInit_v2", api.init);
  bind(library, "nvmlShutdown", api.shutdown);
  bind(library, "nvmlSystemGetDriverVersion", api.driver_version);
  bind(library, "nvmlDeviceGetCount_v2", api.device_count);
  bind(library, "nvmlDeviceGetHandleByIndex_v2", api.device_by_index);
  bind(library, "nvmlDeviceGetName", api.name);
  bind(library, "nvmlDeviceGetUUID", api.uuid);
  bind(library, "nvmlDeviceGetPciInfo_v3", api.pci_info);
  bind(library, "nvmlDeviceGetMemoryInfo", api.memory_info);
  bind(library, "nvmlDeviceGetUtilizationRates", api.utilization);
  bind(library, "nvmlDeviceGetTemperature", api.temperature);
  bind(library, "nvmlDeviceGetPowerUsage", api.power_usage);
  bind(library, "nvmlDeviceGetMigMode", api.mig_mode);
  bind(library, "nvmlDeviceGetMaxMigDeviceCount", api.max_mig_count);
  bind(library, "nvmlDeviceGetMigDeviceHandleByIndex", api.mig_by_index);
  bind(library, "nvmlDeviceGetGpuInstanceId", api.gpu_instance_id);
  bind(library, "nvmlDeviceGetComputeInstanceId", api.compute_instance_id);
  bind(library, "nvmlDeviceGetAttributes_v2", api.attributes);
  bind(library, "nvmlDeviceGetGpuInstanceById", api.gpu_instance_by_id);
  bind(library, "nvmlGpuInstanceGetInfo", api.gpu_instance_info);
  bind(library, "nvmlDeviceGetGpuInstanceProfileInfoV", api.profile_info);
}

}  // namespace

Result<Api> load() {
  auto library = DynamicLibrary::open(candidates());
  if (!library) return library.error();
  library->keep_loaded();
  Api api;
  api.library = std::move(*library);
  bind_all(api);
  for (const char* symbol : {"nvmlInit_v2", "nvmlShutdown", "nvmlDeviceGetCount_v2"})
    if (!api.library.find(symbol))
      return Error{api.library.path() + " is no NVML: it has no " + symbol + ".", "Reinstall the NVIDIA driver.", "",
                   true};
  return Result<Api>(std::move(api));
}

std::string result_text(const Api& api, nvmlReturn_t result) {
  const char* text = api.error_string ? api.error_string(result) : nullptr;
  return std::string(text ? text : "NVML error") + " (" + std::to_string(result) + ")";
}

Session::Session(const Api& api, nvmlReturn_t* code) : api_(api) {
  *code = api_.init();
  open_ = *code == NVML_SUCCESS;
}

Session::~Session() {
  if (open_) api_.shutdown();
}

}  // namespace seamscope::nvml
