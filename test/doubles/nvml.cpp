// libnvidia-ml.so.1 that stands in for hardware: answers from a description, see machine.hpp. Here: the session and
// what a GPU is; nvml_health.cpp has what it is doing, nvml_instances.cpp its MIG side.

#include <cstring>

#include "faults.hpp"
#include "nvml_double.hpp"

using doubles::machine;
using namespace doubles::nvml;

namespace {

int users = 0;

struct PciInfo {
  char legacy[16];
  unsigned domain, bus, device, pci_device, pci_subsystem;
  char text[32];
};
struct Memory {
  unsigned long long total, free, used;
};

}  // namespace

namespace doubles::nvml {

Target target_of(const void* handle) {
  for (const auto& gpu : machine().gpus) {
    if (handle == &gpu) return {&gpu, nullptr};
    for (const auto& instance : gpu.instances)
      if (handle == &instance) return {&gpu, &instance};
  }
  return {};
}

int check(const Target& target, const char* call) {
  if (const int error = fault(call)) return error;
  if (users == 0) return kUninitialized;
  return target.gpu ? target.gpu->error(call) : kInvalidArgument;
}

int text_out(const std::string& text, char* out, unsigned length) {
  if (text.size() >= length) return kInsufficientSize;
  std::strcpy(out, text.c_str());
  return kSuccess;
}

}  // namespace doubles::nvml

#pragma GCC visibility push(default)
extern "C" {

int nvmlInit_v2() {
  if (const int error = doubles::fault("nvmlInit_v2")) return error;
  doubles::follow_changes();
  if (machine().nvml_init != kSuccess) return machine().nvml_init;
  ++users;
  return kSuccess;
}

int nvmlShutdown() {
  if (const int error = doubles::fault("nvmlShutdown")) return error;
  if (users == 0) return kUninitialized;
  --users;
  return kSuccess;
}

const char* nvmlErrorString(int result) {
  switch (result) {
    case 4:
      return "Insufficient Permissions";
    case 9:
      return "Driver Not Loaded";
    case 15:
      return "GPU is lost";
    case 18:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  if (const int error = doubles::fault("nvmlSystemGetDriverVersion")) return error;
  return text_out(machine().driver, text, length);
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  if (const int error = doubles::fault("nvmlDeviceGetCount_v2")) return error;
  doubles::follow_changes();
  if (machine().nvml_init != kSuccess) return machine().nvml_init;
  *count = static_cast<unsigned>(machine().gpus.size());
  return users ? kSuccess : kUninitialized;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, const void** device) {
  if (index >= machine().gpus.size()) return kInvalidArgument;
  *device = &machine().gpus[index];
  return check({&machine().gpus[index], nullptr}, "nvmlDeviceGetHandleByIndex_v2");
}

int nvmlDeviceGetName(const void* handle, char* text, unsigned length) {
  NVML_TARGET("nvmlDeviceGetName");
  return text_out(target.gpu->name + (target.instance ? " MIG " + target.instance->profile : ""), text, length);
}

int nvmlDeviceGetUUID(const void* handle, char* text, unsigned length) {
  NVML_TARGET("nvmlDeviceGetUUID");
  if (!target.instance) return text_out("GPU-" + target.gpu->uuid, text, length);
  if (machine().driver_major() >= 470) return text_out("MIG-" + target.instance->uuid, text, length);
  return text_out("MIG-GPU-" + target.gpu->uuid + "/" + std::to_string(target.instance->gpu_instance) + "/" +
                      std::to_string(target.instance->compute_instance),
                  text, length);
}

int nvmlDeviceGetPciInfo_v3(const void* handle, PciInfo* info) {
  NVML_TARGET("nvmlDeviceGetPciInfo_v3");
  return text_out(target.gpu->pci, info->text, sizeof info->text);
}

int nvmlDeviceGetMemoryInfo(const void* handle, Memory* memory) {
  NVML_TARGET("nvmlDeviceGetMemoryInfo");
  memory->total = (target.instance ? target.instance->memory_mib : target.gpu->memory_mib) << 20;
  memory->used = (target.instance ? target.instance->used_mib : target.gpu->used_mib) << 20;
  memory->free = memory->total - memory->used;
  return kSuccess;
}

int nvmlDeviceGetArchitecture(const void* handle, unsigned* architecture) {
  NVML_TARGET("nvmlDeviceGetArchitecture");
  *architecture = target.gpu->architecture;
  return kSuccess;
}

int nvmlDeviceGetComputeMode(const void* handle, unsigned* mode) {
  NVML_TARGET("nvmlDeviceGetComputeMode");
  *mode = target.gpu->compute_mode;
  return kSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
