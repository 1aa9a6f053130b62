#include "devices/mig_inventory.hpp"

#include "devices/mig_walk.hpp"

namespace seamscope {
namespace {

using nvml::Api;
using nvml::nvmlDevice_t;

// "MIG 1g.24gb+gfx" -> "1g.24gb+gfx"
std::string without_prefix(const std::string& name) {
  return name.rfind("MIG ", 0) == 0 ? name.substr(4) : name;
}

// Every GPU instance profile that the GPU offers. Needs no privilege. Empty on drivers without version 3 of the
// structure.
std::vector<MigProfile> profiles_of(const Api& api, nvmlDevice_t handle, NvmlProblems& problems) {
  std::vector<MigProfile> profiles;
  for (unsigned index = 0; index < nvml::kGpuInstanceProfiles; ++index) {
    nvml::nvmlGpuInstanceProfileInfo_v3_t info{};
    info.version = nvml::kGpuInstanceProfileInfoVersion;
    const auto code = api.profile_info(handle, index, &info);
    if (code == nvml::NVML_ERROR_FUNCTION_NOT_FOUND || code == nvml::NVML_ERROR_ARGUMENT_VERSION_MISMATCH) break;
    if (code == nvml::NVML_ERROR_INVALID_ARGUMENT) continue;  // beyond the indices that this driver knows
    if (!problems.ok(code, "MIG profile " + std::to_string(index))) continue;
    info.name[sizeof info.name - 1] = '\0';
    const bool graphics = (info.capabilities & nvml::kGpuInstanceProfileGraphics) != 0;
    profiles.push_back({info.id, without_prefix(info.name), graphics, uint64_t{info.memorySizeMB} << 20,
                        info.multiprocessorCount, info.instanceCount});
  }
  return profiles;
}

// "NVIDIA H200 MIG 1c.3g.71gb" -> "3g.71gb", the name of the GPU instance's profile.
std::string profile_name(const std::string& device_name) {
  const auto mark = device_name.rfind("MIG ");
  if (mark == std::string::npos) return "";
  std::string profile = device_name.substr(mark + 4);
  if (const auto compute = profile.find("c."); compute != std::string::npos && compute < profile.find('g'))
    profile.erase(0, compute + 2);
  return profile;
}

// Asking for the instance's own profile and place needs a privilege; its name is the unprivileged way to the profile.
void read_profile(const Api& api, nvmlDevice_t gpu, const std::vector<MigProfile>& profiles, MigInstance& instance) {
  nvml::nvmlGpuInstance_t handle = nullptr;
  nvml::nvmlGpuInstanceInfo_t info{};
  instance.profile = profile_name(instance.name);
  if (api.gpu_instance_by_id(gpu, instance.gpu_instance_id, &handle) == nvml::NVML_SUCCESS &&
      api.gpu_instance_info(handle, &info) == nvml::NVML_SUCCESS) {
    instance.profile_id = info.profileId;
    instance.placement = MigPlacement{info.placement.start, info.placement.size};
  }
  bool any = false;
  for (const auto& profile : profiles) {
    any = any || profile.graphics;
    const bool same = instance.profile_id ? profile.id == *instance.profile_id : profile.name == instance.profile;
    if (!same || instance.graphics) continue;
    instance.graphics = profile.graphics;
    instance.profile_id = profile.id;
    instance.profile = profile.name;
  }
  if (!profiles.empty() && !any) instance.graphics = false;
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
    instance.engines =
        MigEngines{attributes.sharedCopyEngineCount,    attributes.sharedDecoderCount, attributes.sharedEncoderCount,
                   attributes.sharedJpegCount,          attributes.sharedOfaCount,     attributes.gpuInstanceSliceCount,
                   attributes.computeInstanceSliceCount};
  }
  nvml::nvmlMemory_t memory{};
  if (problems.ok(api.memory_info(mig, &memory), "the memory of MIG instance " + std::to_string(index))) {
    instance.memory_bytes = memory.total;
    instance.memory_used_bytes = memory.used;
  }
  return instance;
}

}  // namespace

void read_mig(const Api& api, nvmlDevice_t handle, GpmSampler& sampler, NvmlGpu& gpu, std::vector<MigHandle>& handles,
              NvmlProblems& problems) {
  const MigMode mode = read_mig_mode(api, handle, problems);
  gpu.mig_supported = mode.supported;
  gpu.mig_current = mode.current;
  gpu.mig_pending = mode.pending;
  if (!gpu.mig_current) return;
  gpu.profiles = profiles_of(api, handle, problems);
  const std::string parent = gpu.uuid ? uuid_text(*gpu.uuid) : "";
  for_each_instance(api, handle, problems, [&](nvmlDevice_t mig, unsigned index) {
    MigInstance instance = describe(api, mig, index, problems);
    read_profile(api, handle, gpu.profiles, instance);
    if (!parent.empty())
      instance.legacy_uuid = "MIG-GPU-" + parent + "/" + std::to_string(instance.gpu_instance_id) + "/" +
                             std::to_string(instance.compute_instance_id);
    instance.use = sampler.use(handle, parent, instance.gpu_instance_id);
    handles.push_back({mig, instance.gpu_instance_id, instance.compute_instance_id});
    gpu.instances.push_back(std::move(instance));
  });
}

}  // namespace seamscope
