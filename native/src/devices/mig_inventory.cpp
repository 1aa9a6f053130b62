#include "devices/mig_inventory.hpp"

namespace seamscope {
namespace {

using nvml::Api;
using nvml::nvmlDevice_t;

struct Profile {
  unsigned id;
  std::string name;  // "MIG 1g.24gb+gfx"
  bool graphics;
};

// Every GPU instance profile that the GPU offers. Needs no privilege. Empty on drivers without version 3 of the
// structure.
std::vector<Profile> profiles_of(const Api& api, nvmlDevice_t handle) {
  std::vector<Profile> profiles;
  for (unsigned index = 0; index < nvml::kGpuInstanceProfiles; ++index) {
    nvml::nvmlGpuInstanceProfileInfo_v3_t info{};
    info.version = nvml::kGpuInstanceProfileInfoVersion;
    if (api.profile_info(handle, index, &info) != nvml::NVML_SUCCESS) continue;
    info.name[sizeof info.name - 1] = '\0';
    profiles.push_back({info.id, info.name, (info.capabilities & nvml::kGpuInstanceProfileGraphics) != 0});
  }
  return profiles;
}

// "NVIDIA H200 MIG 1c.3g.71gb" -> "MIG 3g.71gb", the name of the GPU instance's profile.
std::string profile_name(const std::string& device_name) {
  const auto mark = device_name.rfind("MIG ");
  if (mark == std::string::npos) return "";
  std::string profile = device_name.substr(mark + 4);
  if (const auto compute = profile.find("c."); compute != std::string::npos && compute < profile.find('g'))
    profile.erase(0, compute + 2);
  return "MIG " + profile;
}

std::optional<unsigned> profile_id_of(const Api& api, nvmlDevice_t gpu, unsigned gpu_instance) {
  nvml::nvmlGpuInstance_t handle = nullptr;
  nvml::nvmlGpuInstanceInfo_t info{};
  if (api.gpu_instance_by_id(gpu, gpu_instance, &handle) != nvml::NVML_SUCCESS) return std::nullopt;
  if (api.gpu_instance_info(handle, &info) != nvml::NVML_SUCCESS) return std::nullopt;
  return info.profileId;
}

// Asking for the instance's own profile needs a privilege; its name is the unprivileged way to the same profile.
std::optional<bool> can_draw(const Api& api, nvmlDevice_t gpu, const std::vector<Profile>& profiles,
                             const MigInstance& instance) {
  const auto id = profile_id_of(api, gpu, instance.gpu_instance_id);
  const std::string name = profile_name(instance.name);
  bool any = false;
  for (const auto& profile : profiles) {
    any = any || profile.graphics;
    if (id ? profile.id == *id : !name.empty() && profile.name == name) return profile.graphics;
  }
  if (!profiles.empty() && !any) return false;
  return std::nullopt;
}

void read_identity(const Api& api, nvmlDevice_t mig, MigInstance& instance, NvmlProblems& problems) {
  char text[nvml::kTextBytes] = "";
  const std::string subject = "of MIG instance " + std::to_string(instance.index);
  if (problems.ok(api.uuid(mig, text, sizeof text), "the UUID " + subject)) {
    instance.nvml_uuid = text;
    instance.uuid = parse_uuid(text);
  }
  if (problems.ok(api.name(mig, text, sizeof text), "the name " + subject)) instance.name = text;
  problems.ok(api.gpu_instance_id(mig, &instance.gpu_instance_id), "the GPU instance " + subject);
  problems.ok(api.compute_instance_id(mig, &instance.compute_instance_id), "the compute instance " + subject);
}

MigInstance describe(const Api& api, nvmlDevice_t mig, unsigned index, NvmlProblems& problems) {
  MigInstance instance;
  instance.index = index;
  read_identity(api, mig, instance, problems);
  nvml::nvmlDeviceAttributes_t attributes{};
  if (problems.ok(api.attributes(mig, &attributes), "the attributes of MIG instance " + std::to_string(index))) {
    instance.sm_count = attributes.multiprocessorCount;
    instance.memory_bytes = attributes.memorySizeMB << 20;
  }
  nvml::nvmlMemory_t memory{};
  if (problems.ok(api.memory_info(mig, &memory), "the memory of MIG instance " + std::to_string(index))) {
    instance.memory_bytes = memory.total;
    instance.memory_used_bytes = memory.used;
  }
  return instance;
}

}  // namespace

void read_mig(const Api& api, nvmlDevice_t handle, NvmlGpu& gpu, NvmlProblems& problems) {
  unsigned current = 0, pending = 0, slots = 0;
  if (!problems.ok(api.mig_mode(handle, &current, &pending), "the MIG mode")) return;
  gpu.mig_supported = true;
  gpu.mig_current = current == nvml::kDeviceMigEnabled;
  gpu.mig_pending = pending == nvml::kDeviceMigEnabled;
  if (!gpu.mig_current) return;
  if (!problems.ok(api.max_mig_count(handle, &slots), "the number of MIG instances")) return;

  const auto profiles = profiles_of(api, handle);
  for (unsigned index = 0; index < slots && !problems.lost(); ++index) {
    nvmlDevice_t mig = nullptr;
    const auto code = api.mig_by_index(handle, index, &mig);
    if (code == nvml::NVML_ERROR_NOT_FOUND) continue;  // a hole: later slots may be in use
    if (!problems.ok(code, "MIG instance " + std::to_string(index))) continue;
    gpu.instances.push_back(describe(api, mig, index, problems));
    gpu.instances.back().graphics = can_draw(api, handle, profiles, gpu.instances.back());
  }
}

}  // namespace seamscope
