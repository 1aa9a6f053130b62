#include "devices/missing_partner.hpp"

#include <algorithm>
#include <cstdlib>

#include "devices/diagnose.hpp"
#include "devices/visible_devices.hpp"

namespace seamscope {
namespace {

constexpr uint32_t kNvidiaVendor = 0x10de;
constexpr int kDriverWithSeveralInstances = 570;

std::string uuid_or_unknown(const std::optional<Uuid>& uuid) {
  return uuid ? uuid_text(*uuid) : "UUID unknown";
}

bool has_nvidia_driver(const VulkanFacts& vulkan) {
  return std::any_of(vulkan.devices.begin(), vulkan.devices.end(),
                     [](const VulkanDevice& device) { return device.is_nvidia_driver; });
}

const VulkanDevice* other_driver_of(const VulkanFacts& vulkan, const std::string& pci) {
  for (const auto& device : vulkan.devices) {
    if (device.vendor_id == kNvidiaVendor && !device.is_nvidia_driver && !pci.empty() && device.pci == pci)
      return &device;
  }
  return nullptr;
}

const IcdFile* nvidia_manifest(const EnvironmentFacts& environment) {
  for (const auto& file : environment.icd_files)
    if (file.library.find("nvidia") != std::string::npos || file.path.find("nvidia") != std::string::npos) return &file;
  return nullptr;
}

std::string loader_words(const DeviceSnapshot& facts, const IcdFile& file) {
  if (!file.problem.empty()) return file.problem;
  std::string words;
  for (const auto& message : facts.vulkan.loader_messages) words += (words.empty() ? "" : "\n") + message;
  return words;
}

// NVIDIA's Vulkan driver shows none of its devices.
Reason why_no_nvidia_driver(const DeviceSnapshot& facts) {
  const auto& environment = facts.environment;
  if (environment.wsl) return make_reason(ReasonCode::Wsl);
  if (auto reason = container_without_graphics(environment)) return *reason;
  const auto* manifest = nvidia_manifest(environment);
  if (!manifest)
    if (auto reason = driver_filter(environment)) return *reason;
  if (manifest) return make_reason(ReasonCode::VulkanIcdRejected, {manifest->path}, loader_words(facts, *manifest));
  return make_reason(ReasonCode::VulkanNoIcd, {"NVIDIA's driver", std::to_string(environment.icd_files.size())});
}

std::optional<Reason> device_filter(const EnvironmentFacts& environment) {
  for (const char* name : {"VK_LOADER_DEVICE_SELECT", "MESA_VK_DEVICE_SELECT"}) {
    const auto found = environment.variables.find(name);
    if (found != environment.variables.end() && !found->second.empty())
      return make_reason(ReasonCode::HiddenByLoaderFilter, {name, found->second});
  }
  return std::nullopt;
}

std::optional<Reason> forbidden_node(const EnvironmentFacts& environment) {
  if (environment.forbidden_nodes.empty()) return std::nullopt;
  return make_reason(ReasonCode::DeviceNodeNoPermission, {environment.forbidden_nodes.front()});
}

std::optional<Reason> physical_cause(const MatchSubject& subject) {
  if (!subject.gpu) return std::nullopt;
  for (const auto& problem : subject.gpu->problems)
    if (problem.code == ReasonCode::GpuLost || (!subject.gpu->uuid && problem.code == ReasonCode::NvmlNoPermission))
      return problem;
  if (subject.gpu->mig_current && subject.gpu->instances.empty())
    return make_reason(ReasonCode::MigWithoutComputeInstance, {subject.gpu->name});
  return std::nullopt;
}

// Nothing when CUDA_VISIBLE_DEVICES is unset or names the device by UUID in its readable part.
std::optional<Reason> hidden_by_variable(const DeviceSnapshot& facts, const MatchSubject& subject) {
  const auto found = facts.environment.variables.find("CUDA_VISIBLE_DEVICES");
  if (found == facts.environment.variables.end()) return std::nullopt;
  const auto entries = parse_visible_devices(found->second);
  const auto stop = first_stop(entries, facts.nvml);
  const std::string name = subject.instance ? subject.instance->nvml_uuid : "GPU-" + uuid_or_unknown(subject.uuid);
  for (const auto& entry : entries) {
    if (stop && entry.text == stop->text) break;
    if (names_uuid(entry, name)) return std::nullopt;
  }
  return make_reason(ReasonCode::HiddenByCudaVisibleDevices, {found->second, why_hidden(found->second, facts.nvml)});
}

std::optional<Reason> one_instance_limit(const DeviceSnapshot& facts, const MatchSubject& subject) {
  const int driver = std::atoi(facts.nvml.driver_version.c_str());
  if (!subject.instance || facts.cuda.devices.size() != 1 || driver == 0 || driver >= kDriverWithSeveralInstances)
    return std::nullopt;
  return make_reason(ReasonCode::MigOneInstanceLimit, {facts.nvml.driver_version});
}

bool has_sibling(const MatchSubject& subject) {
  const auto& instances = subject.gpu->instances;
  return std::any_of(instances.begin(), instances.end(), [&](const MigInstance& other) {
    return &other != subject.instance && other.gpu_instance_id == subject.instance->gpu_instance_id;
  });
}

Reason unexplained(const char* side, const MatchSubject& subject) {
  std::string detail;
  if (subject.gpu && !subject.instance && !subject.gpu->instances.empty())
    detail = "MIG mode is on: CUDA lists the instances, not the whole GPU.";
  if (subject.gpu && subject.instance && has_sibling(subject))
    detail =
        "CUDA lists one compute instance of each GPU instance: CUDA_VISIBLE_DEVICES=" + subject.instance->nvml_uuid +
        " selects this one.";
  return make_reason(ReasonCode::NoPartner, {side, uuid_or_unknown(subject.uuid)}, detail);
}

}  // namespace

Reason why_no_vulkan_partner(const DeviceSnapshot& facts, const MatchSubject& subject) {
  if (auto reason = physical_cause(subject)) return *reason;
  if (subject.instance && subject.instance->graphics == false)
    return make_reason(ReasonCode::MigWithoutGraphics, {subject.instance->name});
  if (const auto* other = other_driver_of(facts.vulkan, subject.pci))
    return make_reason(ReasonCode::OtherDriverSameGpu, {other->name, other->driver_name});
  if (!facts.vulkan.available && facts.vulkan.reason) return *facts.vulkan.reason;
  if (!has_nvidia_driver(facts.vulkan)) return why_no_nvidia_driver(facts);
  if (auto reason = device_filter(facts.environment)) return *reason;
  if (auto reason = forbidden_node(facts.environment)) return *reason;
  return unexplained("Vulkan", subject);
}

Reason why_no_cuda_partner(const DeviceSnapshot& facts, const MatchSubject& subject) {
  if (auto reason = physical_cause(subject)) return *reason;
  if (!facts.cuda.available && facts.cuda.reason) return *facts.cuda.reason;
  for (const auto& device : facts.cuda.devices)
    if (!device.uuid && device.uuid_reason) return *device.uuid_reason;
  if (auto reason = hidden_by_variable(facts, subject)) return *reason;
  if (auto reason = one_instance_limit(facts, subject)) return *reason;
  if (auto reason = forbidden_node(facts.environment)) return *reason;
  return unexplained("CUDA", subject);
}

}  // namespace seamscope
