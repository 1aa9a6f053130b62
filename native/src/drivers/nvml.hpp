#pragma once
// NVML, opened at run time. A Session holds it initialised: an open one can block a MIG mode change, so it is closed
// when unused.

#include <string>

#include "base/dynamic_library.hpp"
#include "base/result.hpp"
#include "drivers/nvml_types.hpp"

namespace seamscope::nvml {

struct Api {
  DynamicLibrary library;
  nvmlReturn_t (*init)() = nullptr;
  nvmlReturn_t (*shutdown)() = nullptr;
  const char* (*error_string)(nvmlReturn_t) = nullptr;
  nvmlReturn_t (*driver_version)(char* text, unsigned length) = nullptr;
  nvmlReturn_t (*device_count)(unsigned* count) = nullptr;
  nvmlReturn_t (*device_by_index)(unsigned index, nvmlDevice_t* device) = nullptr;
  nvmlReturn_t (*name)(nvmlDevice_t, char* text, unsigned length) = nullptr;
  nvmlReturn_t (*uuid)(nvmlDevice_t, char* text, unsigned length) = nullptr;
  nvmlReturn_t (*pci_info)(nvmlDevice_t, nvmlPciInfo_t*) = nullptr;
  nvmlReturn_t (*memory_info)(nvmlDevice_t, nvmlMemory_t*) = nullptr;
  nvmlReturn_t (*utilization)(nvmlDevice_t, nvmlUtilization_t*) = nullptr;
  nvmlReturn_t (*temperature)(nvmlDevice_t, int sensor, unsigned* celsius) = nullptr;
  nvmlReturn_t (*power_usage)(nvmlDevice_t, unsigned* milliwatts) = nullptr;
  nvmlReturn_t (*mig_mode)(nvmlDevice_t, unsigned* current, unsigned* pending) = nullptr;
  nvmlReturn_t (*max_mig_count)(nvmlDevice_t, unsigned* count) = nullptr;
  nvmlReturn_t (*mig_by_index)(nvmlDevice_t, unsigned index, nvmlDevice_t* mig) = nullptr;
  nvmlReturn_t (*gpu_instance_id)(nvmlDevice_t mig, unsigned* id) = nullptr;
  nvmlReturn_t (*compute_instance_id)(nvmlDevice_t mig, unsigned* id) = nullptr;
  nvmlReturn_t (*attributes)(nvmlDevice_t mig, nvmlDeviceAttributes_t*) = nullptr;
  nvmlReturn_t (*gpu_instance_by_id)(nvmlDevice_t, unsigned id, nvmlGpuInstance_t*) = nullptr;
  nvmlReturn_t (*gpu_instance_info)(nvmlGpuInstance_t, nvmlGpuInstanceInfo_t*) = nullptr;
  nvmlReturn_t (*profile_info)(nvmlDevice_t, unsigned profile, nvmlGpuInstanceProfileInfo_v3_t*) = nullptr;
};

// Opens libnvidia-ml.so.1; every entry point that an older driver lacks is replaced by one that answers
// FUNCTION_NOT_FOUND, so that callers need no null checks.
Result<Api> load();

// "Driver/library version mismatch (18)"
std::string result_text(const Api& api, nvmlReturn_t result);

// nvmlInit_v2 .. nvmlShutdown.
class Session {
 public:
  // On success `*code` is NVML_SUCCESS, on failure NVML's number.
  Session(const Api& api, nvmlReturn_t* code);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  const Api& api_;
  bool open_ = false;
};

}  // namespace seamscope::nvml
