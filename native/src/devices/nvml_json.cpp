#include "devices/nvml_json.hpp"

#include "devices/readings_json.hpp"

namespace seamscope {

void put_use(Json& object, const DeviceUse& use) {
  if (use.percent || use.missing) object["use"] = json_of(use);
}

Json json_of(const MigEngines& engines) {
  return {{"copy", engines.copy},
          {"decoder", engines.decoder},
          {"encoder", engines.encoder},
          {"jpeg", engines.jpeg},
          {"ofa", engines.ofa},
          {"gpuSlices", engines.gpu_slices},
          {"computeSlices", engines.compute_slices}};
}

Json json_of(const MigInstance& instance) {
  Json json = {
      {"index", instance.index},
      {"uuid", uuid_or_empty(instance.uuid)},
      {"nvmlUuid", instance.nvml_uuid},
      {"name", instance.name},
      {"gpuInstanceId", instance.gpu_instance_id},
      {"computeInstanceId", instance.compute_instance_id},
      {"memoryBytes", instance.memory_bytes},
  };
  put(json, "memoryUsedBytes", instance.memory_used_bytes);
  put(json, "smCount", instance.sm_count);
  put(json, "graphics", instance.graphics);
  put_text(json, "profile", instance.profile);
  put(json, "profileId", instance.profile_id);
  put_text(json, "legacyUuid", instance.legacy_uuid);
  if (instance.engines) json["engines"] = json_of(*instance.engines);
  if (instance.placement)
    json["placement"] = {{"start", instance.placement->start}, {"size", instance.placement->size}};
  put_use(json, instance.use);
  return json;
}

Json json_of(const MigProfile& profile) {
  return {{"id", profile.id},
          {"name", profile.name},
          {"graphics", profile.graphics},
          {"memoryBytes", profile.memory_bytes},
          {"smCount", profile.sm_count},
          {"maxInstances", profile.max_instances}};
}

Json json_of(const EccState& ecc) {
  Json json = {{"enabled", ecc.enabled}};
  if (ecc.pending != ecc.enabled) json["pending"] = ecc.pending;
  put(json, "correctedErrors", ecc.corrected_errors);
  put(json, "uncorrectedErrors", ecc.uncorrected_errors);
  return json;
}

Json json_of(const GpuHealth& health) {
  Json json = {{"clocks", json_of(health.clocks)}, {"maxClocks", json_of(health.max_clocks)}};
  put(json, "temperatureC", health.temperature_c);
  put(json, "slowdownTemperatureC", health.slowdown_temperature_c);
  put(json, "powerWatts", health.power_watts);
  put(json, "powerLimitWatts", health.power_limit_watts);
  put(json, "fanPercent", health.fan_percent);
  if (health.clock_limits) json["clockLimits"] = clock_limit_names(*health.clock_limits);
  if (health.ecc) json["ecc"] = json_of(*health.ecc);
  return json;
}

const char* compute_mode_name(int mode) {
  constexpr const char* kNames[] = {"default", "exclusive-thread", "prohibited", "exclusive-process"};
  return mode >= 0 && mode < 4 ? kNames[mode] : "default";
}

Json json_of(const NvmlGpu& gpu) {
  Json json = {
      {"index", gpu.index},
      {"name", gpu.name},
      {"uuid", uuid_or_empty(gpu.uuid)},
      {"pci", gpu.pci},
      {"memoryBytes", gpu.memory_bytes},
      {"mig", {{"supported", gpu.mig_supported}, {"current", gpu.mig_current}, {"pending", gpu.mig_pending}}},
      {"instances", array_of(gpu.instances)},
      {"health", json_of(gpu.health)},
      {"processes", array_of(gpu.processes)},
      {"problems", array_of(gpu.problems)},
  };
  put(json, "memoryUsedBytes", gpu.memory_used_bytes);
  put(json, "utilizationPercent", gpu.utilization_percent);
  put(json, "temperatureC", gpu.temperature_c);
  put(json, "powerWatts", gpu.power_watts);
  put_text(json, "architecture", gpu.architecture);
  put_use(json, gpu.use);
  if (!gpu.profiles.empty()) json["profiles"] = array_of(gpu.profiles);
  if (gpu.compute_mode) json["computeMode"] = compute_mode_name(*gpu.compute_mode);
  return json;
}

Json json_of(const GpuLink& link) {
  Json json = {{"a", link.a},
               {"b", link.b},
               {"path", link.path},
               {"nvlinks", link.nvlinks},
               {"throughSwitch", link.through_switch}};
  put_text(json, "peerRead", link.peer_read);
  return json;
}

Json json_of(const NvmlFacts& nvml) {
  Json json = {{"available", nvml.available}, {"gpus", array_of(nvml.gpus)}};
  put(json, "reason", nvml.reason);
  put_text(json, "driverVersion", nvml.driver_version);
  return json;
}

}  // namespace seamscope
