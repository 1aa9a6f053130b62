#pragma once
// NVML, opened at run time. A Session holds it initialised: an open one can block a MIG mode change, so it is closed
// when unused.

#include <string>

#include "base/result.hpp"
#include "drivers/driver_call.hpp"
#include "drivers/nvml_types.hpp"

namespace seamscope::nvml {

// X(name, exported symbol, parameters); all return nvmlReturn_t.
#define SEAMSCOPE_NVML(X)                                                                                        \
  X(init, "nvmlInit_v2", ())                                                                                     \
  X(shutdown, "nvmlShutdown", ())                                                                                \
  X(driver_version, "nvmlSystemGetDriverVersion", (char* text, unsigned length))                                 \
  X(device_count, "nvmlDeviceGetCount_v2", (unsigned* count))                                                    \
  X(device_by_index, "nvmlDeviceGetHandleByIndex_v2", (unsigned index, nvmlDevice_t* device))                    \
  X(name, "nvmlDeviceGetName", (nvmlDevice_t, char* text, unsigned length))                                      \
  X(uuid, "nvmlDeviceGetUUID", (nvmlDevice_t, char* text, unsigned length))                                      \
  X(pci_info, "nvmlDeviceGetPciInfo_v3", (nvmlDevice_t, nvmlPciInfo_t*))                                         \
  X(architecture, "nvmlDeviceGetArchitecture", (nvmlDevice_t, unsigned* architecture))                           \
  X(compute_mode, "nvmlDeviceGetComputeMode", (nvmlDevice_t, int* mode))                                         \
  X(memory_info, "nvmlDeviceGetMemoryInfo", (nvmlDevice_t, nvmlMemory_t*))                                       \
  X(utilization, "nvmlDeviceGetUtilizationRates", (nvmlDevice_t, nvmlUtilization_t*))                            \
  X(temperature, "nvmlDeviceGetTemperature", (nvmlDevice_t, int sensor, unsigned* celsius))                      \
  X(temperature_limit, "nvmlDeviceGetTemperatureThreshold", (nvmlDevice_t, int kind, unsigned* celsius))         \
  X(power_usage, "nvmlDeviceGetPowerUsage", (nvmlDevice_t, unsigned* milliwatts))                                \
  X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", (nvmlDevice_t, unsigned* milliwatts))                        \
  X(fan_speed, "nvmlDeviceGetFanSpeed", (nvmlDevice_t, unsigned* percent))                                       \
  X(clock, "nvmlDeviceGetClockInfo", (nvmlDevice_t, int kind, unsigned* mhz))                                    \
  X(max_clock, "nvmlDeviceGetMaxClockInfo", (nvmlDevice_t, int kind, unsigned* mhz))                             \
  X(clock_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons", (nvmlDevice_t, unsigned long long* bits))        \
  X(ecc_mode, "nvmlDeviceGetEccMode", (nvmlDevice_t, unsigned* current, unsigned* pending))                      \
  X(ecc_errors, "nvmlDeviceGetTotalEccErrors", (nvmlDevice_t, int kind, int counter, unsigned long long* count)) \
  X(compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3",                                                \
    (nvmlDevice_t, unsigned* count, nvmlProcessInfo_t* processes))                                               \
  X(graphics_processes, "nvmlDeviceGetGraphicsRunningProcesses_v3",                                              \
    (nvmlDevice_t, unsigned* count, nvmlProcessInfo_t* processes))                                               \
  X(mps_processes, "nvmlDeviceGetMPSComputeRunningProcesses_v3",                                                 \
    (nvmlDevice_t, unsigned* count, nvmlProcessInfo_t* processes))                                               \
  X(mig_mode, "nvmlDeviceGetMigMode", (nvmlDevice_t, unsigned* current, unsigned* pending))                      \
  X(max_mig_count, "nvmlDeviceGetMaxMigDeviceCount", (nvmlDevice_t, unsigned* count))                            \
  X(mig_by_index, "nvmlDeviceGetMigDeviceHandleByIndex", (nvmlDevice_t, unsigned index, nvmlDevice_t* mig))      \
  X(gpu_instance_id, "nvmlDeviceGetGpuInstanceId", (nvmlDevice_t mig, unsigned* id))                             \
  X(compute_instance_id, "nvmlDeviceGetComputeInstanceId", (nvmlDevice_t mig, unsigned* id))                     \
  X(attributes, "nvmlDeviceGetAttributes_v2", (nvmlDevice_t mig, nvmlDeviceAttributes_t*))                       \
  X(gpu_instance_by_id, "nvmlDeviceGetGpuInstanceById", (nvmlDevice_t, unsigned id, nvmlGpuInstance_t*))         \
  X(gpu_instance_info, "nvmlGpuInstanceGetInfo", (nvmlGpuInstance_t, nvmlGpuInstanceInfo_t*))                    \
  X(profile_info, "nvmlDeviceGetGpuInstanceProfileInfoV",                                                        \
    (nvmlDevice_t, unsigned profile, nvmlGpuInstanceProfileInfo_v3_t*))                                          \
  X(gpm_support, "nvmlGpmQueryDeviceSupport", (nvmlDevice_t, nvmlGpmSupport_t*))                                 \
  X(gpm_alloc, "nvmlGpmSampleAlloc", (nvmlGpmSample_t*))                                                         \
  X(gpm_free, "nvmlGpmSampleFree", (nvmlGpmSample_t))                                                            \
  X(gpm_mig_sample, "nvmlGpmMigSampleGet", (nvmlDevice_t, unsigned gpu_instance, nvmlGpmSample_t))               \
  X(gpm_metrics, "nvmlGpmMetricsGet", (nvmlGpmMetricsGet_t*))                                                    \
  X(common_ancestor, "nvmlDeviceGetTopologyCommonAncestor", (nvmlDevice_t, nvmlDevice_t, int* level))            \
  X(peer_status, "nvmlDeviceGetP2PStatus", (nvmlDevice_t, nvmlDevice_t, int capability, int* status))            \
  X(nvlink_state, "nvmlDeviceGetNvLinkState", (nvmlDevice_t, unsigned link, unsigned* up))                       \
  X(nvlink_remote, "nvmlDeviceGetNvLinkRemotePciInfo_v2", (nvmlDevice_t, unsigned link, nvmlPciInfo_t*))         \
  X(nvlink_remote_type, "nvmlDeviceGetNvLinkRemoteDeviceType", (nvmlDevice_t, unsigned link, int* type))

struct Api {
  DynamicLibrary library;
  const char* (*error_string)(nvmlReturn_t) = nullptr;
#define SEAMSCOPE_NVML_MEMBER(name, symbol, parameters) DriverCall<nvmlReturn_t parameters> name;
  SEAMSCOPE_NVML(SEAMSCOPE_NVML_MEMBER)
#undef SEAMSCOPE_NVML_MEMBER
};

// Opens libnvidia-ml.so.1; every entry point that an older driver lacks answers FUNCTION_NOT_FOUND, so that callers
// need no null checks. The library is closed with the Api, so that a driver that was replaced is found.
Result<Api> load();

// "Driver/library version mismatch (18)"
std::string result_text(const Api& api, nvmlReturn_t result);

// nvmlInit_v2 .. nvmlShutdown.
class Session {
 public:
  // On success `*code` is NVML_SUCCESS, on failure NVML's number. The library stays loaded then: measured with driver
  // 580, each time that it is unloaded and initialised anew costs a descriptor for good; sessions of a loaded one do
  // not.
  Session(Api& api, nvmlReturn_t* code);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  const Api& api_;
  bool open_ = false;
};

}  // namespace seamscope::nvml
