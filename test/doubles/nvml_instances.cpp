// NVML's stand-in: MIG mode, instances, profiles, and their use through GPM.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "faults.hpp"
#include "nvml_double.hpp"

using doubles::Gpu;
using doubles::machine;
using namespace doubles::nvml;

namespace {

unsigned profile_id(const Gpu& gpu, const std::string& name) {
  for (const auto& profile : gpu.profiles)
    if (profile.name == name) return profile.id;
  return 0;
}

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

struct GpmSupport {
  unsigned version, supported;
};
struct GpmMetric {
  unsigned id;
  int result;
  double value;
  const char *short_name, *long_name, *unit;
};
struct GpmRequest {
  unsigned version, count;
  struct Sample *first, *second;
  GpmMetric metrics[1];
};
struct Sample {
  double use = -1;  // below zero: not taken
};

constexpr unsigned kHopper = 9;
constexpr int kDriverWithVersion3 = 525;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nvmlDeviceGetMigMode(const void* handle, unsigned* current, unsigned* pending) {
  NVML_TARGET("nvmlDeviceGetMigMode");
  if (!target.gpu->mig_supported) return kNotSupported;
  *current = target.gpu->mig_current;
  *pending = target.gpu->mig_pending;
  return kSuccess;
}

int nvmlDeviceGetMaxMigDeviceCount(const void* handle, unsigned* count) {
  NVML_TARGET("nvmlDeviceGetMaxMigDeviceCount");
  *count = target.gpu->mig_current ? target.gpu->slots : 0;
  return kSuccess;
}

int nvmlDeviceGetMigDeviceHandleByIndex(const void* handle, unsigned index, const void** mig) {
  NVML_TARGET("nvmlDeviceGetMigDeviceHandleByIndex");
  for (const auto& instance : target.gpu->instances) {
    if (instance.slot != index) continue;
    *mig = &instance;
    return kSuccess;
  }
  return kNotFound;
}

int nvmlDeviceGetGpuInstanceId(const void* handle, unsigned* id) {
  NVML_TARGET("nvmlDeviceGetGpuInstanceId");
  if (!target.instance) return kNotSupported;
  *id = target.instance->gpu_instance;
  return kSuccess;
}

int nvmlDeviceGetComputeInstanceId(const void* handle, unsigned* id) {
  NVML_TARGET("nvmlDeviceGetComputeInstanceId");
  if (!target.instance) return kNotSupported;
  *id = target.instance->compute_instance;
  return kSuccess;
}

int nvmlDeviceGetAttributes_v2(const void* handle, Attributes* attributes) {
  NVML_TARGET("nvmlDeviceGetAttributes_v2");
  if (!target.instance) return kNotSupported;
  *attributes = {};
  attributes->sms = target.instance->sms;
  attributes->copy = target.instance->size;
  attributes->decoder = 1;
  // "3g.71gb" has three; compute instances that share them get one each.
  attributes->gpu_slices = static_cast<unsigned>(std::max(1, std::atoi(target.instance->profile.c_str())));
  const auto& all = target.gpu->instances;
  const auto shares = std::count_if(all.begin(), all.end(), [&](const doubles::Instance& other) {
    return other.gpu_instance == target.instance->gpu_instance;
  });
  attributes->compute_slices = shares > 1 ? 1 : attributes->gpu_slices;
  attributes->memory_mib = target.instance->memory_mib;
  return kSuccess;
}

int nvmlDeviceGetGpuInstanceById(const void* handle, unsigned id, const void** gpu_instance) {
  NVML_TARGET("nvmlDeviceGetGpuInstanceById");
  if (!machine().privileged) return kNoPermission;
  for (const auto& instance : target.gpu->instances) {
    if (instance.gpu_instance != id) continue;
    *gpu_instance = &instance;
    return kSuccess;
  }
  return kNotFound;
}

int nvmlGpuInstanceGetInfo(const void* handle, InstanceInfo* info) {
  NVML_TARGET("nvmlGpuInstanceGetInfo");
  *info = {target.gpu, target.instance->gpu_instance, profile_id(*target.gpu, target.instance->profile),
           target.instance->start, target.instance->size};
  return kSuccess;
}

int nvmlDeviceGetGpuInstanceProfileInfoV(const void* handle, unsigned index, ProfileInfo* info) {
  NVML_TARGET("nvmlDeviceGetGpuInstanceProfileInfoV");
  if (info->version != (sizeof(ProfileInfo) | 3u << 24) || machine().driver_major() < kDriverWithVersion3)
    return kVersionMismatch;
  if (index >= target.gpu->profiles.size()) return kNotSupported;
  const auto& profile = target.gpu->profiles[index];
  info->id = profile.id;
  info->sms = profile.sms;
  info->instances = profile.instances;
  info->memory_mib = profile.memory_mib;
  info->capabilities = profile.graphics ? 2 : 1;
  return text_out("MIG " + profile.name, info->name, sizeof info->name);
}

int nvmlGpmQueryDeviceSupport(const void* handle, GpmSupport* support) {
  NVML_TARGET("nvmlGpmQueryDeviceSupport");
  if (support->version != 1) return kInvalidArgument;
  support->supported = target.gpu->architecture >= kHopper;
  return kSuccess;
}

int nvmlGpmSampleAlloc(Sample** sample) {
  if (const int error = doubles::fault("nvmlGpmSampleAlloc")) return error;
  *sample = new Sample;
  return kSuccess;
}

int nvmlGpmSampleFree(Sample* sample) {
  delete sample;
  return doubles::fault("nvmlGpmSampleFree");
}

int nvmlGpmMigSampleGet(const void* handle, unsigned gpu_instance, Sample* sample) {
  NVML_TARGET("nvmlGpmMigSampleGet");
  for (const auto& instance : target.gpu->instances)
    if (instance.gpu_instance == gpu_instance) sample->use = instance.use;
  return sample->use < 0 ? kNotFound : kSuccess;
}

int nvmlGpmMetricsGet(GpmRequest* request) {
  if (const int error = doubles::fault("nvmlGpmMetricsGet")) return error;
  if (request->version != 1 || request->count != 1 || request->first->use < 0) return kInvalidArgument;
  GpmMetric& metric = request->metrics[0];
  metric.result = metric.id == 2 ? kSuccess : kNotSupported;
  metric.value = request->second->use;
  return kSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
