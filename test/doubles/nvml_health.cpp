// NVML's stand-in: what a GPU is doing, and how it reaches others.

#include <algorithm>
#include <cstring>

#include "nvml_double.hpp"

using doubles::machine;
using namespace doubles::nvml;

namespace {

struct ProcessInfo {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

struct PciInfo {
  char legacy[16];
  unsigned domain, bus, device, pci_device, pci_subsystem;
  char text[32];
};

// A whole GPU in MIG mode tells its processes to the privileged only; an instance tells its own.
int processes(const Target& target, const char* kind, unsigned* count, ProcessInfo* out) {
  if (target.gpu->mig_current && !target.instance && !machine().privileged) return kNoPermission;
  unsigned found = 0;
  for (const auto& process : target.gpu->processes) {
    const auto* mig = target.instance;
    if (process.kind != kind) continue;
    if (mig && (process.gpu_instance != mig->gpu_instance || process.compute_instance != mig->compute_instance))
      continue;
    if (found < *count)
      out[found] = {process.pid, process.memory_mib << 20, process.gpu_instance, process.compute_instance};
    ++found;
  }
  const bool fits = found <= *count;
  *count = found;
  return fits ? kSuccess : kInsufficientSize;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nvmlDeviceGetUtilizationRates(const void* handle, unsigned* gpu_and_memory) {
  NVML_TARGET("nvmlDeviceGetUtilizationRates");
  if (target.gpu->mig_current) return kNotSupported;
  gpu_and_memory[0] = target.gpu->utilization;
  gpu_and_memory[1] = 0;
  return kSuccess;
}

int nvmlDeviceGetTemperature(const void* handle, int, unsigned* celsius) {
  NVML_TARGET("nvmlDeviceGetTemperature");
  *celsius = target.gpu->temperature;
  return kSuccess;
}

int nvmlDeviceGetPowerUsage(const void* handle, unsigned* milliwatts) {
  NVML_TARGET("nvmlDeviceGetPowerUsage");
  *milliwatts = target.gpu->power_milliwatts;
  return kSuccess;
}

int nvmlDeviceGetTemperatureThreshold(const void* handle, int kind, unsigned* celsius) {
  NVML_TARGET("nvmlDeviceGetTemperatureThreshold");
  *celsius = kind == 1 ? 90 : 95;
  return kSuccess;
}

int nvmlDeviceGetEnforcedPowerLimit(const void* handle, unsigned* milliwatts) {
  NVML_TARGET("nvmlDeviceGetEnforcedPowerLimit");
  *milliwatts = 700000;
  return kSuccess;
}

int nvmlDeviceGetFanSpeed(const void* handle, unsigned*) {
  NVML_TARGET("nvmlDeviceGetFanSpeed");
  return kNotSupported;
}

int nvmlDeviceGetClockInfo(const void* handle, int kind, unsigned* mhz) {
  NVML_TARGET("nvmlDeviceGetClockInfo");
  *mhz = kind == 2 ? 3201 : target.gpu->graphics_mhz;
  return kSuccess;
}

int nvmlDeviceGetMaxClockInfo(const void* handle, int kind, unsigned* mhz) {
  NVML_TARGET("nvmlDeviceGetMaxClockInfo");
  *mhz = kind == 2 ? 3201 : 1980;
  return kSuccess;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(const void* handle, unsigned long long* bits) {
  NVML_TARGET("nvmlDeviceGetCurrentClocksThrottleReasons");
  *bits = target.gpu->clock_limits;
  return kSuccess;
}

int nvmlDeviceGetEccMode(const void* handle, unsigned* current, unsigned* pending) {
  NVML_TARGET("nvmlDeviceGetEccMode");
  if (!target.gpu->ecc.supported) return kNotSupported;
  *current = target.gpu->ecc.enabled;
  *pending = target.gpu->ecc.pending;
  return kSuccess;
}

int nvmlDeviceGetTotalEccErrors(const void* handle, int kind, int, unsigned long long* count) {
  NVML_TARGET("nvmlDeviceGetTotalEccErrors");
  *count = kind == 0 ? target.gpu->ecc.corrected : target.gpu->ecc.uncorrected;
  return kSuccess;
}

int nvmlDeviceGetComputeRunningProcesses_v3(const void* handle, unsigned* count, ProcessInfo* out) {
  NVML_TARGET("nvmlDeviceGetComputeRunningProcesses_v3");
  return processes(target, "compute", count, out);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(const void* handle, unsigned* count, ProcessInfo* out) {
  NVML_TARGET("nvmlDeviceGetGraphicsRunningProcesses_v3");
  return processes(target, "graphics", count, out);
}

int nvmlDeviceGetMPSComputeRunningProcesses_v3(const void* handle, unsigned* count, ProcessInfo* out) {
  NVML_TARGET("nvmlDeviceGetMPSComputeRunningProcesses_v3");
  return processes(target, "mps", count, out);
}

// GPUs 0 to 3 hang under one host bridge, 4 to 7 under another.
int nvmlDeviceGetTopologyCommonAncestor(const void* handle, const void* other, int* level) {
  NVML_TARGET("nvmlDeviceGetTopologyCommonAncestor");
  const auto position = [](const void* gpu) { return static_cast<const doubles::Gpu*>(gpu) - machine().gpus.data(); };
  *level = position(handle) / 4 == position(other) / 4 ? 30 : 50;
  return kSuccess;
}

int nvmlDeviceGetP2PStatus(const void* handle, const void*, int, int* status) {
  NVML_TARGET("nvmlDeviceGetP2PStatus");
  *status = target.gpu->peers && target.gpu->peers->empty() ? 5 : 0;
  return kSuccess;
}

int nvmlDeviceGetNvLinkState(const void* handle, unsigned link, unsigned* up) {
  NVML_TARGET("nvmlDeviceGetNvLinkState");
  if (target.gpu->nvlinks.empty()) return kNotSupported;
  *up = link < target.gpu->nvlinks.size();
  return kSuccess;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(const void* handle, unsigned link, int* type) {
  NVML_TARGET("nvmlDeviceGetNvLinkRemoteDeviceType");
  *type = target.gpu->nvlinks.at(link) < 0 ? 2 : 0;
  return kSuccess;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(const void* handle, unsigned link, PciInfo* info) {
  NVML_TARGET("nvmlDeviceGetNvLinkRemotePciInfo_v2");
  if (target.gpu->nvlinks.at(link) < 0) return kNotSupported;
  const auto remote = static_cast<size_t>(target.gpu->nvlinks[link]);
  return text_out(machine().gpus.at(remote).pci, info->text, sizeof info->text);
}

}  // extern "C"
#pragma GCC visibility pop
