#pragma once
// The C++ side of helper/protocol/devices.ts: field for field the same, with UUIDs as bytes. snapshot_json.cpp writes
// it out.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/uuid.hpp"
#include "devices/readings.hpp"
#include "devices/reason.hpp"

namespace seamscope {

struct LibraryReport {
  std::string name, path, version, error;  // empty = absent
  std::string passed_over;                 // why files before `path` were not taken
};

struct ExternalHandle {
  const char* handle_type;
  bool exportable = false, importable = false, dedicated_only = false;
};

struct ExternalBuffer {
  const char* handle_type;
  const char* usage;
  bool exportable = false, importable = false, dedicated_only = false;
};

struct ExternalImage {
  const char* handle_type;
  const char *format, *tiling, *usage;
  bool exportable = false, importable = false, dedicated_only = false;
  uint32_t max_width = 0, max_height = 0;
};

// Device nodes as "major:minor"; the path when there is one.
struct DrmNodes {
  std::string primary, render, render_node;
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
  std::vector<ExternalBuffer> external_buffers;
  std::vector<ExternalImage> external_images;
  std::optional<DrmNodes> drm;
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

struct CudaPeer {
  int ordinal = 0;
  bool access = false;
  std::optional<bool> native_atomics, array_access;
  std::optional<int> performance_rank;
};

struct CudaDevice {
  int ordinal = 0;
  std::string name, compute_capability, pci;
  std::optional<Uuid> uuid;
  std::optional<Reason> uuid_reason;
  uint64_t memory_bytes = 0;
  std::map<std::string, int> attributes;
  std::optional<Uuid> legacy_uuid;
  std::vector<CudaPeer> peers;
  std::vector<Reason> problems;
};

struct CudaFacts {
  bool available = false;
  std::optional<Reason> reason;
  std::string driver_version;
  std::vector<CudaDevice> devices;
};

// Engines of an instance, shared with the other compute instances of its GPU instance.
struct MigEngines {
  unsigned copy = 0, decoder = 0, encoder = 0, jpeg = 0, ofa = 0, gpu_slices = 0, compute_slices = 0;
};

// Memory slices of the GPU instance.
struct MigPlacement {
  unsigned start = 0, size = 0;
};

// What new instances can be made of.
struct MigProfile {
  unsigned id = 0;
  std::string name;  // "1g.24gb+gfx"
  bool graphics = false;
  uint64_t memory_bytes = 0;
  unsigned sm_count = 0, max_instances = 0;
};

struct EccState {
  bool enabled = false, pending = false;
  std::optional<uint64_t> corrected_errors, uncorrected_errors;
};

struct MigInstance {
  unsigned index = 0, gpu_instance_id = 0, compute_instance_id = 0;
  std::optional<Uuid> uuid;  // absent before R470, whose MIG UUIDs are made of the parent's
  std::string nvml_uuid, name;
  uint64_t memory_bytes = 0;
  std::optional<uint64_t> memory_used_bytes;
  std::optional<unsigned> sm_count;
  std::optional<bool> graphics;
  std::string profile, legacy_uuid;
  std::optional<unsigned> profile_id;
  std::optional<MigEngines> engines;
  std::optional<MigPlacement> placement;
  DeviceUse use;
};

struct GpuHealth {
  std::optional<unsigned> temperature_c, slowdown_temperature_c, fan_percent;
  std::optional<double> power_watts, power_limit_watts;
  GpuClocks clocks, max_clocks;
  std::optional<uint64_t> clock_limits;
  std::optional<EccState> ecc;
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
  std::vector<MigProfile> profiles;
  std::string architecture;
  std::optional<int> compute_mode;  // nvmlComputeMode_t
  DeviceUse use;
  GpuHealth health;
  std::vector<GpuProcess> processes;
  std::vector<Reason> problems;
};

// How two GPUs reach each other; a < b are NVML indices.
struct GpuLink {
  unsigned a = 0, b = 0;
  const char* path = "unknown";
  unsigned nvlinks = 0;
  bool through_switch = false;
  std::string peer_read;
};

struct NvmlFacts {
  bool available = false;
  std::optional<Reason> reason;
  std::string driver_version;
  std::vector<NvmlGpu> gpus;
  std::vector<GpuLink> links;  // read with the whole snapshot only
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
