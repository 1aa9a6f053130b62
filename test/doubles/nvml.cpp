// libnvidia-ml.so.1 that stands in for hardware: answers from a description, see machine.hpp. Own declarations of
// NVML's binary interface, apart from the product's, so that a slip there is seen here.

#include <cstring>

#include "machine.hpp"

using doubles::Gpu;
using doubles::Instance;
using doubles::machine;

namespace {

constexpr int kSuccess = 0, kUninitialized = 1, kInvalidArgument = 2, kNotSupported = 3, kNoPermission = 4,
              kNotFound = 6, kVersionMismatch = 25;
int users = 0;

// A handle is the address of the description; instances are told from GPUs by membership.
struct Target {
  const Gpu* gpu = nullptr;
  const Instance* instance = nullptr;
};

Target target_of(const void* handle) {
  for (const auto& gpu : machine().gpus) {
    if (handle == &gpu) return {&gpu, nullptr};
    for (const auto& instance : gpu.instances)
      if (handle == &instance) return {&gpu, &instance};
  }
  return {};
}

int check(const Target& target, const char* call) {
  if (users == 0) return kUninitialized;
  return target.gpu ? target.gpu->error(call) : kInvalidArgument;
}

int text_out(const std::string& text, char* out, unsigned length) {
  if (text.size() >= length) return 7;
  std::strcpy(out, text.c_str());
  return kSuccess;
}

unsigned profile_id(const Gpu& gpu, const std::string& name) {
  for (const auto& profile : gpu.profiles)
    if (profile.name == name) return profile.id;
  return 0;
}

struct PciInfo {
  char legacy[16];
  unsigned domain, bus, device, pci_device, pci_subsystem;
  char text[32];
};
struct Memory {
  unsigned long long total, free, used;
};
struct Attributes {
  unsigned sms, copy, decoder, encoder, jpeg, ofa, gpu_slices, compute_slices;
  unsigned long long memory_mib;
};
struct InstanceInfo {
  const void* device;
  unsigned id, profile, start, size;
};
struct ProfileInfo {
  unsigned version, id, slices, instances, sms, copy, decoder, encoder, jpeg, ofa;
  unsigned long long memory_mib;
  char name[96];
  unsigned capabilities;
};

}  // namespace

#define TARGET(call)                       \
  const Target target = target_of(handle); \
  const int result = check(target, call);  \
  if (result != kSuccess) return result

#pragma GCC visibility push(default)
extern "C" {

int nvmlInit_v2() {
  if (machine().nvml_init != kSuccess) return machine().nvml_init;
  ++users;
  return kSuccess;
}

int nvmlShutdown() {
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
  return text_out(machine().driver, text, length);
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(machine().gpus.size());
  return users ? kSuccess : kUninitialized;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, const void** device) {
  if (index >= machine().gpus.size()) return kInvalidArgument;
  *device = &machine().gpus[index];
  return check({&machine().gpus[index], nullptr}, "nvmlDeviceGetHandleByIndex_v2");
}

int nvmlDeviceGetName(const void* handle, char* text, unsigned length) {
  TARGET("nvmlDeviceGetName");
  return text_out(target.gpu->name + (target.instance ? " MIG " + target.instance->profile : ""), text, length);
}

int nvmlDeviceGetUUID(const void* handle, char* text, unsigned length) {
  TARGET("nvmlDeviceGetUUID");
  if (!target.instance) return text_out("GPU-" + target.gpu->uuid, text, length);
  if (machine().driver_major() >= 470) return text_out("MIG-" + target.instance->uuid, text, length);
  return text_out("MIG-GPU-" + target.gpu->uuid + "/" + std::to_string(target.instance->gpu_instance) + "/" +
                      std::to_string(target.instance->compute_instance),
                  text, length);
}

int nvmlDeviceGetPciInfo_v3(const void* handle, PciInfo* info) {
  TARGET("nvmlDeviceGetPciInfo_v3");
  return text_out(target.gpu->pci, info->text, sizeof info->text);
}

int nvmlDeviceGetMemoryInfo(const void* handle, Memory* memory) {
  TARGET("nvmlDeviceGetMemoryInfo");
  memory->total = (target.instance ? target.instance->memory_mib : target.gpu->memory_mib) << 20;
  memory->used = (target.instance ? target.instance->used_mib : target.gpu->used_mib) << 20;
  memory->free = memory->total - memory->used;
  return kSuccess;
}

int nvmlDeviceGetUtilizationRates(const void* handle, unsigned* gpu_and_memory) {
  TARGET("nvmlDeviceGetUtilizationRates");
  if (target.gpu->mig_current) return kNotSupported;
  gpu_and_memory[0] = target.gpu->utilization;
  gpu_and_memory[1] = 0;
  return kSuccess;
}

int nvmlDeviceGetTemperature(const void* handle, int, unsigned* celsius) {
  TARGET("nvmlDeviceGetTemperature");
  *celsius = target.gpu->temperature;
  return kSuccess;
}

int nvmlDeviceGetPowerUsage(const void* handle, unsigned* milliwatts) {
  TARGET("nvmlDeviceGetPowerUsage");
  *milliwatts = target.gpu->power_milliwatts;
  return kSuccess;
}

int nvmlDeviceGetMigMode(const void* handle, unsigned* current, unsigned* pending) {
  TARGET("nvmlDeviceGetMigMode");
  if (!target.gpu->mig_supported) return kNotSupported;
  *current = target.gpu->mig_current;
  *pending = target.gpu->mig_pending;
  return kSuccess;
}

int nvmlDeviceGetMaxMigDeviceCount(const void* handle, unsigned* count) {
  TARGET("nvmlDeviceGetMaxMigDeviceCount");
  *count = target.gpu->mig_current ? target.gpu->slots : 0;
  return kSuccess;
}

int nvmlDeviceGetMigDeviceHandleByIndex(const void* handle, unsigned index, const void** mig) {
  TARGET("nvmlDeviceGetMigDeviceHandleByIndex");
  for (const auto& instance : target.gpu->instances) {
    if (instance.slot != index) continue;
    *mig = &instance;
    return kSuccess;
  }
  return kNotFound;
}

int nvmlDeviceGetGpuInstanceId(const void* handle, unsigned* id) {
  TARGET("nvmlDeviceGetGpuInstanceId");
  if (!target.instance) return kNotSupported;
  *id = target.instance->gpu_instance;
  return kSuccess;
}

int nvmlDeviceGetComputeInstanceId(const void* handle, unsigned* id) {
  TARGET("nvmlDeviceGetComputeInstanceId");
  if (!target.instance) return kNotSupported;
  *id = target.instance->compute_instance;
  return kSuccess;
}

int nvmlDeviceGetAttributes_v2(const void* handle, Attributes* attributes) {
  TARGET("nvmlDeviceGetAttributes_v2");
  if (!target.instance) return kNotSupported;
  *attributes = {};
  attributes->sms = target.instance->sms;
  attributes->memory_mib = target.instance->memory_mib;
  return kSuccess;
}

int nvmlDeviceGetGpuInstanceById(const void* handle, unsigned id, const void** gpu_instance) {
  TARGET("nvmlDeviceGetGpuInstanceById");
  if (!machine().privileged) return kNoPermission;
  for (const auto& instance : target.gpu->instances) {
    if (instance.gpu_instance != id) continue;
    *gpu_instance = &instance;
    return kSuccess;
  }
  return kNotFound;
}

int nvmlGpuInstanceGetInfo(const void* handle, InstanceInfo* info) {
  TARGET("nvmlGpuInstanceGetInfo");
  *info = {target.gpu, target.instance->gpu_instance, profile_id(*target.gpu, target.instance->profile), 0, 1};
  return kSuccess;
}

int nvmlDeviceGetGpuInstanceProfileInfoV(const void* handle, unsigned index, ProfileInfo* info) {
  TARGET("nvmlDeviceGetGpuInstanceProfileInfoV");
  if (info->version != (sizeof(ProfileInfo) | 3u << 24)) return kVersionMismatch;
  if (index >= target.gpu->profiles.size()) return kNotSupported;
  const auto& profile = target.gpu->profiles[index];
  info->id = profile.id;
  info->capabilities = profile.graphics ? 2 : 1;
  return text_out("MIG " + profile.name, info->name, sizeof info->name);
}

}  // extern "C"
#pragma GCC visibility pop
