#pragma once
// Builders for device facts: each test names only what matters to it.

#include <string>

#include "devices/types.hpp"

namespace seamscope::test {

// "1" -> 00000000-0000-0000-0000-000000000001
inline Uuid uuid_of(int number) {
  Uuid uuid;
  uuid.bytes[15] = static_cast<uint8_t>(number);
  return uuid;
}

class Facts {
 public:
  Facts() { facts_.cuda.available = facts_.vulkan.available = facts_.nvml.available = true; }

  Facts& cuda(int uuid) {
    CudaDevice device;
    device.ordinal = static_cast<int>(facts_.cuda.devices.size());
    device.uuid = uuid_of(uuid);
    facts_.cuda.devices.push_back(device);
    return *this;
  }
  Facts& cuda_without_uuid() {
    cuda(0);
    facts_.cuda.devices.back().uuid.reset();
    facts_.cuda.devices.back().uuid_reason = make_reason(ReasonCode::CudaTooOldForUuidV2, {"CUDA 11.2"});
    return *this;
  }
  Facts& no_cuda(ReasonCode code) {
    facts_.cuda.available = false;
    facts_.cuda.reason = make_reason(code, {"a", "b"});
    return *this;
  }

  Facts& vulkan(int uuid, const char* driver = "nvidia", const std::string& pci = "") {
    VulkanDevice device;
    device.index = static_cast<int>(facts_.vulkan.devices.size());
    device.name = driver;
    device.driver_name = driver;
    device.device_uuid = uuid_of(uuid);
    device.pci = pci;
    device.is_nvidia_driver = device.name == "nvidia";
    device.is_cpu = device.name == "llvmpipe";
    device.vendor_id = device.is_nvidia_driver || device.name == "nvk" ? 0x10de : 0x1002;
    facts_.vulkan.devices.push_back(device);
    return *this;
  }
  Facts& no_vulkan(ReasonCode code) {
    facts_.vulkan.available = false;
    facts_.vulkan.reason = make_reason(code, {"a", "b"});
    return *this;
  }

  Facts& gpu(int uuid, const std::string& pci = "") {
    NvmlGpu gpu;
    gpu.index = static_cast<unsigned>(facts_.nvml.gpus.size());
    gpu.name = "GPU";
    gpu.uuid = uuid_of(uuid);
    gpu.pci = pci;
    facts_.nvml.gpus.push_back(gpu);
    return *this;
  }
  Facts& mig() {
    facts_.nvml.gpus.back().mig_supported = facts_.nvml.gpus.back().mig_current = true;
    return *this;
  }
  Facts& instance(int uuid, unsigned slot, std::optional<bool> graphics) {
    MigInstance instance;
    instance.index = slot;
    instance.uuid = uuid_of(uuid);
    instance.nvml_uuid = "MIG-" + uuid_text(*instance.uuid);
    instance.name = "GPU MIG 1g.10gb";
    instance.graphics = graphics;
    facts_.nvml.gpus.back().instances.push_back(instance);
    return *this;
  }
  Facts& problem(ReasonCode code) {
    facts_.nvml.gpus.back().problems.push_back(make_reason(code, {"a", "b"}));
    return *this;
  }
  Facts& denied() {
    facts_.nvml.gpus.back().uuid.reset();
    return problem(ReasonCode::NvmlNoPermission);
  }
  Facts& no_nvml(ReasonCode code) {
    facts_.nvml.available = false;
    facts_.nvml.reason = make_reason(code, {"a", "b"});
    return *this;
  }
  Facts& driver(const char* version) {
    facts_.nvml.driver_version = version;
    return *this;
  }

  Facts& set(const std::string& variable, const std::string& value) {
    facts_.environment.variables[variable] = value;
    return *this;
  }
  Facts& manifest(const std::string& path, const std::string& library, const std::string& problem = "") {
    facts_.environment.icd_files.push_back({path, library, problem});
    return *this;
  }
  Facts& container() {
    facts_.environment.container = true;
    return *this;
  }
  Facts& wsl() {
    facts_.environment.wsl = true;
    return *this;
  }
  Facts& tegra() {
    facts_.environment.tegra = true;
    return *this;
  }
  Facts& forbidden(const std::string& node) {
    facts_.environment.forbidden_nodes.push_back(node);
    return *this;
  }

  const DeviceSnapshot& get() const { return facts_; }
  DeviceSnapshot& get() { return facts_; }

 private:
  DeviceSnapshot facts_;
};

}  // namespace seamscope::test
