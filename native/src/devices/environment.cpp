#include "devices/environment.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "devices/icd_files.hpp"

namespace seamscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariables[] = {
    "CUDA_VISIBLE_DEVICES",     "CUDA_DEVICE_ORDER",         "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_MPS_PIPE_DIRECTORY",  "NVIDIA_VISIBLE_DEVICES",    "NVIDIA_DRIVER_CAPABILITIES",
    "VK_DRIVER_FILES",          "VK_ICD_FILENAMES",          "VK_ADD_DRIVER_FILES",
    "VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE", "VK_LOADER_DEVICE_SELECT",
    "VK_LOADER_LAYERS_ENABLE",  "VK_LOADER_LAYERS_DISABLE",  "VK_INSTANCE_LAYERS",
    "MESA_VK_DEVICE_SELECT",    "LD_LIBRARY_PATH",
};

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool in_container(const EnvironmentSource& source) {
  if (exists(source.root + "/.dockerenv") || exists(source.root + "/run/.containerenv")) return true;
  if (source.variable("KUBERNETES_SERVICE_HOST") || source.variable("container")) return true;
  const std::string cgroup = read_text(source.root + "/proc/1/cgroup");
  return cgroup.find("docker") != std::string::npos || cgroup.find("kubepods") != std::string::npos ||
         cgroup.find("containerd") != std::string::npos;
}

bool on_wsl(const EnvironmentSource& source) {
  const std::string release = read_text(source.root + "/proc/sys/kernel/osrelease");
  return release.find("microsoft") != std::string::npos || release.find("Microsoft") != std::string::npos;
}

bool on_tegra(const EnvironmentSource& source) {
  return exists(source.root + "/etc/nv_tegra_release") ||
         read_text(source.root + "/proc/device-tree/compatible").find("nvidia,tegra") != std::string::npos;
}

bool is_gpu_node(const std::string& name) {
  if (name == "nvidiactl" || name == "nvidia-uvm") return true;
  return name.size() > 6 && name.compare(0, 6, "nvidia") == 0 &&
         name.find_first_not_of("0123456789", 6) == std::string::npos;
}

std::vector<std::string> forbidden_nodes(const std::string& folder) {
  std::vector<std::string> nodes;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string path = entry.path().string();
    if (is_gpu_node(entry.path().filename().string()) && access(path.c_str(), R_OK | W_OK) != 0) nodes.push_back(path);
  }
  return nodes;
}

// "580.159.04", "384.90"
bool is_version(const std::string& word) {
  return word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos &&
         word.front() != '.';
}

}  // namespace

EnvironmentSource EnvironmentSource::process() {
  return {[](const std::string& name) -> std::optional<std::string> {
            const char* value = getenv(name.c_str());
            return value ? std::optional<std::string>(value) : std::nullopt;
          },
          ""};
}

std::string kernel_driver_version(const std::string& text) {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue ..." or "... Open Kernel Module for x86_64
  // 580.159.04 ..."
  const auto start = text.find("NVRM version:");
  if (start == std::string::npos) return "";
  std::istringstream line(text.substr(start, text.find('\n', start) - start));
  for (std::string word; line >> word;)
    if (is_version(word)) return word;
  return "";
}

std::string kernel_driver_version_here() {
  return kernel_driver_version(read_text("/proc/driver/nvidia/version"));
}

EnvironmentFacts read_environment(const EnvironmentSource& source) {
  EnvironmentFacts facts;
  for (const char* name : kVariables)
    if (const auto value = source.variable(name)) facts.variables[name] = *value;
  facts.container = in_container(source);
  facts.wsl = on_wsl(source);
  facts.tegra = on_tegra(source);
  facts.icd_files = find_icd_files(source);
  facts.kernel_driver_version = kernel_driver_version(read_text(source.root + "/proc/driver/nvidia/version"));
  facts.forbidden_nodes = forbidden_nodes(source.root + "/dev");
  return facts;
}

}  // namespace seamscope
