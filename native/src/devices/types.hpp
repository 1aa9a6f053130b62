#pragma once
// The C++ side of helper/protocol/devices.ts: field for field the same, with UUIDs as bytes. snapshot_json.cpp writes
// it out.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/uuid.hpp"
#include "devices/reason.hpp"

namespace seamscope {

struct LibraryReport {
  std::string name, path, version, error;  // empty = absent
};

struct ExternalHandle {
  const char* handle_type;
  bool exportable = false, importable = false, dedicated_only = false;
};

struct VulkanQueueFamily {
  uint32_t index = 0, count = 0, flags = 0;  // flags: VkQueueFlags
};

struct VulkanDevice {
  int index = 0;
  std::string name, type, driver_id, driver_name, driver_info, api_version, pci;
  uint32_t vendor_id = 0, device_id = 0, max_storage_buffer_range = 0;
  Uuid device_uuid, driver_uuid;
  uint64_t memory_bytes = 0;
  std::vector<VulkanQueueFamily> queue_families;
  std::vector<ExternalHandle> external_memory, binary_semaphores, timeline_semaphores;
  bool timeline_semaphore = false;
  // For the match only: VK_PHYSICAL_DEVICE_TYPE_CPU, and VK_DRIVER_ID_NVIDIA_PROPRIETARY.
  bool is_cpu = false, is_nvidia_driver = false;
};

struct VulkanFacts {
  bool available = false;
  std::optional<Reason> reason;
  std::string instance_version;
  std::vector<VulkanDevice> devices;
  std::vector<std::string> loader_messages;  // not part of the snapshot: they become details of reasons
};

struct CudaDevice {
  int ordinal = 0;
  std::string name, compute_capability, pci;
  std::optional<Uuid> uuid;
  std::optional<Reason> uuid_reason;
  uint64_t memory_bytes = 0;
  std::map<std::string, int> attributes;
};

struct CudaFacts {
  bool available = false;
  std::optional<Reason> reason;
  std::string driver_version;
  std::vector<CudaDevice> devices;
};

struct MigInstance {
  unsigned index = 0, gpu_instance_id = 0, compute_instance_id = 0;
  std::optional<Uuid> uuid;  // absent before R470, whose MIG UUIDs are made of the parent's
  std::string nvml_uuid, name;
  uint64_t memory_bytes = 0;
  std::optional<uint64_t> memory_used_bytes;
  std::optional<unsigned> sm_count;
  std::optional<bool> graphics;
};

struct NvmlGpu {
  unsigned index = 0;
  std::string name, pci;
  std::optional<Uuid> uuid;
  uint64_t memory_bytes = 0;
  std::optional<uint64_t> memory_used_bytes;
  std::optional<unsigned> utilization_percent, temperature_c;
  std::optional<double> power_watts;
  bool mig_supported = false, mig_current = false, mig_pending = false;
  std::vector<MigInstance> instances;
  std::vector<Reason> problems;
};

struct NvmlFacts {
  bool available = false;
  std::optional<Reason> reason;
  std::string driver_version;
  std::vector<NvmlGpu> gpus;
};

struct IcdFile {
  std::string path, library, problem;
};

struct EnvironmentFacts {
  std::map<std::string, std::string> variables;
  bool container = false, wsl = false;
  std::vector<IcdFile> icd_files;
  std::string kernel_driver_version;
  // For the match only.
  bool tegra = false;
  std::vector<std::string> forbidden_nodes;  // /dev/nvidia* that exist and may not be opened
};

enum class MatchStatus { Matched, CudaOnly, VulkanOnly, PhysicalOnly };

struct DeviceMatch {
  std::optional<Uuid> uuid;
  std::optional<int> cuda_ordinal, vulkan_index;
  std::optional<unsigned> gpu_index, mig_index;
  MatchStatus status = MatchStatus::PhysicalOnly;
  std::vector<Reason> reasons;
};

struct DeviceSnapshot {
  std::string taken_at;  // ISO 8601, UTC
  EnvironmentFacts environment;
  std::vector<LibraryReport> libraries;
  VulkanFacts vulkan;
  CudaFacts cuda;
  NvmlFacts nvml;
  std::vector<DeviceMatch> matches;
};

}  // namespace seamscope
