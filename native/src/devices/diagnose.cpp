#include "devices/diagnose.hpp"

#include <algorithm>

#include "devices/visible_devices.hpp"

namespace seamscope {
namespace {

const std::string* variable(const EnvironmentFacts& environment, const char* name) {
  const auto found = environment.variables.find(name);
  return found == environment.variables.end() ? nullptr : &found->second;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

bool lists_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

const NvmlGpu* mig_gpu_without_instance(const NvmlFacts& nvml) {
  const bool any_whole =
      std::any_of(nvml.gpus.begin(), nvml.gpus.end(), [](const NvmlGpu& gpu) { return !gpu.mig_current; });
  const bool any_instance =
      std::any_of(nvml.gpus.begin(), nvml.gpus.end(), [](const NvmlGpu& gpu) { return !gpu.instances.empty(); });
  return any_whole || any_instance || nvml.gpus.empty() ? nullptr : &nvml.gpus.front();
}

std::optional<Reason> lost_gpu(const NvmlFacts& nvml) {
  for (const auto& gpu : nvml.gpus)
    for (const auto& problem : gpu.problems)
      if (problem.code == ReasonCode::GpuLost) return problem;
  return std::nullopt;
}

std::optional<Reason> why_no_cuda_device(const DeviceSnapshot& snapshot, const std::string& detail) {
  const auto* visible = variable(snapshot.environment, "CUDA_VISIBLE_DEVICES");
  if (visible && hides_everything(*visible, snapshot.nvml))
    return make_reason(ReasonCode::HiddenByCudaVisibleDevices, {*visible, why_hidden(*visible, snapshot.nvml)}, detail);
  if (!snapshot.environment.forbidden_nodes.empty())
    return make_reason(ReasonCode::DeviceNodeNoPermission, {joined(snapshot.environment.forbidden_nodes)}, detail);
  if (const auto* gpu = mig_gpu_without_instance(snapshot.nvml))
    return make_reason(ReasonCode::MigWithoutComputeInstance, {gpu->name}, detail);
  return lost_gpu(snapshot.nvml);
}

// A manifest was parsed far enough to name a library.
bool any_manifest(const EnvironmentFacts& environment) {
  return std::any_of(environment.icd_files.begin(), environment.icd_files.end(),
                     [](const IcdFile& file) { return !file.library.empty(); });
}

// The loader says of each manifest that a variable took it out.
bool all_filtered(const EnvironmentFacts& environment, const std::string& loader_words) {
  size_t lines = 0;
  for (size_t at = loader_words.find("by env var"); at != std::string::npos;
       at = loader_words.find("by env var", at + 1))
    ++lines;
  return lines > 0 && lines >= environment.icd_files.size();
}

std::optional<Reason> why_no_vulkan(const EnvironmentFacts& environment, const Reason& known) {
  if (known.code == ReasonCode::VulkanLoaderMissing) return std::nullopt;
  if (auto reason = container_without_graphics(environment)) return reason;
  const bool driver_was_tried = known.code == ReasonCode::VulkanIcdRejected && any_manifest(environment) &&
                                !all_filtered(environment, known.detail);
  return driver_was_tried ? std::nullopt : driver_filter(environment);
}

}  // namespace

std::optional<Reason> container_without_graphics(const EnvironmentFacts& environment) {
  if (!environment.container) return std::nullopt;
  const auto* capabilities = variable(environment, "NVIDIA_DRIVER_CAPABILITIES");
  const auto* visible = variable(environment, "NVIDIA_VISIBLE_DEVICES");
  if (!capabilities) {
    // The NVIDIA runtime is at work and mounts its default set.
    if (!visible || visible->empty() || *visible == "void" || *visible == "none") return std::nullopt;
    return make_reason(ReasonCode::ContainerWithoutGraphics, {"utility,compute (the default)"});
  }
  if (lists_word(*capabilities, "all") || lists_word(*capabilities, "graphics")) return std::nullopt;
  return make_reason(ReasonCode::ContainerWithoutGraphics, {*capabilities});
}

std::optional<Reason> driver_filter(const EnvironmentFacts& environment) {
  for (const char* name :
       {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"}) {
    const auto* value = variable(environment, name);
    // An empty list of files leaves no driver; an empty list of names is none.
    const bool counts_when_empty = std::string(name).find("FILE") != std::string::npos;
    if (value && (counts_when_empty || !value->empty()))
      return make_reason(ReasonCode::HiddenByLoaderFilter, {name, *value});
  }
  return std::nullopt;
}

void sharpen_reasons(DeviceSnapshot& snapshot) {
  auto& cuda = snapshot.cuda.reason;
  if (cuda && cuda->code == ReasonCode::CudaNoDevice)
    if (auto better = why_no_cuda_device(snapshot, cuda->detail)) cuda = better;

  auto& vulkan = snapshot.vulkan.reason;
  if (vulkan) {
    if (auto better = why_no_vulkan(snapshot.environment, *vulkan)) {
      better->detail = vulkan->detail;
      vulkan = better;
    }
  }
  auto& nvml = snapshot.nvml.reason;
  if (nvml && nvml->code == ReasonCode::NvmlLibraryMissing && snapshot.environment.tegra)
    nvml = make_reason(ReasonCode::Tegra, {"/etc/nv_tegra_release"}, nvml->detail);
}

}  // namespace seamscope
