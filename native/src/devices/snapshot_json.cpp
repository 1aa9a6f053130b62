#include "devices/snapshot_json.hpp"

#include <vulkan/vulkan_core.h>

#include "devices/nvml_json.hpp"

namespace seamscope {

// array_of finds these by their argument.
Json json_of(const ExternalHandle&);
Json json_of(const ExternalBuffer&);
Json json_of(const ExternalImage&);
Json json_of(const VulkanQueueFamily&);
Json json_of(const VulkanDevice&);
Json json_of(const CudaPeer&);
Json json_of(const CudaDevice&);
Json json_of(const DeviceMatch&);
Json json_of(const IcdFile&);
Json json_of(const LibraryReport&);

Json json_of(const LibraryReport& library) {
  Json json = {{"name", library.name}};
  put_text(json, "path", library.path);
  put_text(json, "version", library.version);
  put_text(json, "error", library.error);
  put_text(json, "passedOver", library.passed_over);
  return json;
}

Json json_of(const ExternalHandle& handle) {
  Json json = {
      {"handleType", handle.handle_type}, {"exportable", handle.exportable}, {"importable", handle.importable}};
  if (handle.dedicated_only) json["dedicatedOnly"] = true;
  return json;
}

Json json_of(const ExternalBuffer& buffer) {
  return {{"handleType", buffer.handle_type},
          {"usage", buffer.usage},
          {"exportable", buffer.exportable},
          {"importable", buffer.importable},
          {"dedicatedOnly", buffer.dedicated_only}};
}

Json json_of(const ExternalImage& image) {
  return {{"handleType", image.handle_type},
          {"format", image.format},
          {"tiling", image.tiling},
          {"usage", image.usage},
          {"exportable", image.exportable},
          {"importable", image.importable},
          {"dedicatedOnly", image.dedicated_only},
          {"maxExtent", {image.max_width, image.max_height}}};
}

Json json_of(const DrmNodes& drm) {
  Json json = Json::object();
  put_text(json, "primary", drm.primary);
  put_text(json, "render", drm.render);
  put_text(json, "renderNode", drm.render_node);
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
      {"externalBuffers", array_of(device.external_buffers)},
      {"externalImages", array_of(device.external_images)},
      {"externalSemaphore",
       {{"binary", array_of(device.binary_semaphores)}, {"timeline", array_of(device.timeline_semaphores)}}},
      {"timelineSemaphore", device.timeline_semaphore},
      {"maxStorageBufferRange", device.max_storage_buffer_range},
  };
  put_text(json, "pci", device.pci);
  if (device.drm) json["drm"] = json_of(*device.drm);
  return json;
}

Json json_of(const CudaPeer& peer) {
  Json json = {{"ordinal", peer.ordinal}, {"access", peer.access}};
  put(json, "nativeAtomics", peer.native_atomics);
  put(json, "arrayAccess", peer.array_access);
  put(json, "performanceRank", peer.performance_rank);
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
  put(json, "legacyUuid", device.legacy_uuid);
  if (!device.peers.empty()) json["peers"] = array_of(device.peers);
  if (!device.problems.empty()) json["problems"] = array_of(device.problems);
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

Json json_of(const Reason& reason) {
  Json json = {{"code", reason_name(reason.code)}, {"message", reason.message}, {"nextStep", reason.next_step}};
  put_text(json, "detail", reason.detail);
  return json;
}

std::string to_json_text(const DeviceSnapshot& snapshot) {
  Json json = {
      {"version", 1},
      {"takenAt", snapshot.taken_at},
      {"environment", json_of(snapshot.environment)},
      {"libraries", array_of(snapshot.libraries)},
      {"vulkan", json_of(snapshot.vulkan)},
      {"cuda", json_of(snapshot.cuda)},
      {"nvml", json_of(snapshot.nvml)},
      {"matches", array_of(snapshot.matches)},
  };
  if (!snapshot.nvml.links.empty()) json["links"] = array_of(snapshot.nvml.links);
  return text_of(json);
}

std::string to_json_text(const NvmlFacts& nvml) {
  return text_of(json_of(nvml));
}

}  // namespace seamscope
