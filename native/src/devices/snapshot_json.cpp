#include "devices/snapshot_json.hpp"

#include <vulkan/vulkan_core.h>

#include <nlohmann/json.hpp>

namespace seamscope {
namespace {

using Json = nlohmann::json;

// array_of needs every item type declared before it.
Json json_of(const Reason&);
Json json_of(const ExternalHandle&);
Json json_of(const VulkanQueueFamily&);
Json json_of(const VulkanDevice&);
Json json_of(const CudaDevice&);
Json json_of(const MigInstance&);
Json json_of(const NvmlGpu&);
Json json_of(const DeviceMatch&);
Json json_of(const IcdFile&);
Json json_of(const LibraryReport&);

template <typename T>
Json array_of(const std::vector<T>& items) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}

void put_text(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

template <typename T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

void put(Json& object, const char* key, const std::optional<Uuid>& uuid) {
  if (uuid) object[key] = uuid_text(*uuid);
}

Json json_of(const Reason& reason) {
  Json json = {{"code", reason_name(reason.code)}, {"message", reason.message}, {"nextStep", reason.next_step}};
  put_text(json, "detail", reason.detail);
  return json;
}

void put(Json& object, const char* key, const std::optional<Reason>& reason) {
  if (reason) object[key] = json_of(*reason);
}

Json json_of(const LibraryReport& library) {
  Json json = {{"name", library.name}};
  put_text(json, "path", library.path);
  put_text(json, "version", library.version);
  put_text(json, "error", library.error);
  return json;
}

Json json_of(const ExternalHandle& handle) {
  Json json = {
      {"handleType", handle.handle_type}, {"exportable", handle.exportable}, {"importable", handle.importable}};
  if (handle.dedicated_only) json["dedicatedOnly"] = true;
  return json;
}

Json flag_names(uint32_t flags) {
  struct Flag {
    uint32_t bit;
    const char* name;
  };
  // Numbers, because older headers lack the names of the later ones.
  constexpr Flag kFlags[] = {{0x1, "graphics"},      {0x2, "compute"},       {0x4, "transfer"},
                             {0x8, "sparse"},        {0x10, "protected"},    {0x20, "video-decode"},
                             {0x40, "video-encode"}, {0x100, "optical-flow"}};
  Json names = Json::array();
  for (const auto& flag : kFlags)
    if (flags & flag.bit) names.push_back(flag.name);
  return names;
}

Json json_of(const VulkanQueueFamily& family) {
  return {{"index", family.index}, {"count", family.count}, {"flags", flag_names(family.flags)}};
}

Json json_of(const VulkanDevice& device) {
  Json json = {
      {"index", device.index},
      {"name", device.name},
      {"type", device.type},
      {"vendorId", device.vendor_id},
      {"deviceId", device.device_id},
      {"deviceUuid", uuid_text(device.device_uuid)},
      {"driverUuid", uuid_text(device.driver_uuid)},
      {"driverId", device.driver_id},
      {"driverName", device.driver_name},
      {"driverInfo", device.driver_info},
      {"apiVersion", device.api_version},
      {"memoryBytes", device.memory_bytes},
      {"queueFamilies", array_of(device.queue_families)},
      {"externalMemory", array_of(device.external_memory)},
      {"externalSemaphore",
       {{"binary", array_of(device.binary_semaphores)}, {"timeline", array_of(device.timeline_semaphores)}}},
      {"timelineSemaphore", device.timeline_semaphore},
      {"maxStorageBufferRange", device.max_storage_buffer_range},
  };
  put_text(json, "pci", device.pci);
  return json;
}

Json json_of(const CudaDevice& device) {
  Json json = {
      {"ordinal", device.ordinal},
      {"name", device.name},
      {"computeCapability", device.compute_capability},
      {"memoryBytes", device.memory_bytes},
      {"attributes", device.attributes},
  };
  put(json, "uuid", device.uuid);
  put(json, "uuidReason", device.uuid_reason);
  put_text(json, "pci", device.pci);
  return json;
}

Json json_of(const MigInstance& instance) {
  Json json = {
      {"index", instance.index},
      {"uuid", instance.uuid ? uuid_text(*instance.uuid) : ""},
      {"nvmlUuid", instance.nvml_uuid},
      {"name", instance.name},
      {"gpuInstanceId", instance.gpu_instance_id},
      {"computeInstanceId", instance.compute_instance_id},
      {"memoryBytes", instance.memory_bytes},
  };
  put(json, "memoryUsedBytes", instance.memory_used_bytes);
  put(json, "smCount", instance.sm_count);
  put(json, "graphics", instance.graphics);
  return json;
}

Json json_of(const NvmlGpu& gpu) {
  Json json = {
      {"index", gpu.index},
      {"name", gpu.name},
      {"uuid", gpu.uuid ? uuid_text(*gpu.uuid) : ""},
      {"pci", gpu.pci},
      {"memoryBytes", gpu.memory_bytes},
      {"mig", {{"supported", gpu.mig_supported}, {"current", gpu.mig_current}, {"pending", gpu.mig_pending}}},
      {"instances", array_of(gpu.instances)},
      {"problems", array_of(gpu.problems)},
  };
  put(json, "memoryUsedBytes", gpu.memory_used_bytes);
  put(json, "utilizationPercent", gpu.utilization_percent);
  put(json, "temperatureC", gpu.temperature_c);
  put(json, "powerWatts", gpu.power_watts);
  return json;
}

Json json_of(const DeviceMatch& match) {
  constexpr const char* kStatus[] = {"matched", "cuda-only", "vulkan-only", "physical-only"};
  Json json = {{"status", kStatus[static_cast<int>(match.status)]}, {"reasons", array_of(match.reasons)}};
  put(json, "uuid", match.uuid);
  put(json, "cudaOrdinal", match.cuda_ordinal);
  put(json, "vulkanIndex", match.vulkan_index);
  put(json, "gpuIndex", match.gpu_index);
  put(json, "migIndex", match.mig_index);
  return json;
}

Json json_of(const IcdFile& file) {
  Json json = {{"path", file.path}};
  put_text(json, "library", file.library);
  put_text(json, "problem", file.problem);
  return json;
}

Json json_of(const EnvironmentFacts& environment) {
  Json json = {
      {"variables", environment.variables},
      {"container", environment.container},
      {"wsl", environment.wsl},
      {"icdFiles", array_of(environment.icd_files)},
  };
  put_text(json, "kernelDriverVersion", environment.kernel_driver_version);
  return json;
}

Json json_of(const VulkanFacts& vulkan) {
  Json json = {{"available", vulkan.available}, {"devices", array_of(vulkan.devices)}};
  put(json, "reason", vulkan.reason);
  put_text(json, "instanceVersion", vulkan.instance_version);
  return json;
}

Json json_of(const CudaFacts& cuda) {
  Json json = {{"available", cuda.available}, {"devices", array_of(cuda.devices)}};
  put(json, "reason", cuda.reason);
  put_text(json, "driverVersion", cuda.driver_version);
  return json;
}

Json json_of(const NvmlFacts& nvml) {
  Json json = {{"available", nvml.available}, {"gpus", array_of(nvml.gpus)}};
  put(json, "reason", nvml.reason);
  put_text(json, "driverVersion", nvml.driver_version);
  return json;
}

// Variables and driver texts may hold any bytes; JSON is UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string to_json_text(const DeviceSnapshot& snapshot) {
  return text_of({
      {"version", 1},
      {"takenAt", snapshot.taken_at},
      {"environment", json_of(snapshot.environment)},
      {"libraries", array_of(snapshot.libraries)},
      {"vulkan", json_of(snapshot.vulkan)},
      {"cuda", json_of(snapshot.cuda)},
      {"nvml", json_of(snapshot.nvml)},
      {"matches", array_of(snapshot.matches)},
  });
}

std::string to_json_text(const NvmlFacts& nvml) {
  return text_of(json_of(nvml));
}

}  // namespace seamscope
