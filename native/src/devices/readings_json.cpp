#include "devices/readings_json.hpp"

namespace seamscope {

Json json_of(const DeviceUse& use) {
  Json json = Json::object();
  put(json, "percent", use.percent);
  if (use.missing) json["missing"] = {{"code", use.missing->code}, {"message", use.missing->message}};
  return json;
}

Json json_of(const GpuClocks& clocks) {
  Json json = Json::object();
  put(json, "graphicsMhz", clocks.graphics_mhz);
  put(json, "smMhz", clocks.sm_mhz);
  put(json, "memoryMhz", clocks.memory_mhz);
  put(json, "videoMhz", clocks.video_mhz);
  return json;
}

Json clock_limit_names(uint64_t bits) {
  // Position = bit.
  constexpr const char* kNames[] = {"idle",           "application-setting", "power-cap",        "hardware-slowdown",
                                    "sync-boost",     "software-thermal",    "hardware-thermal", "power-brake",
                                    "display-setting"};
  Json names = Json::array();
  for (size_t bit = 0; bit < sizeof(kNames) / sizeof(kNames[0]); ++bit)
    if (bits >> bit & 1) names.push_back(kNames[bit]);
  return names;
}

Json json_of(const GpuProcess& process) {
  Json kinds = Json::array();
  if (process.kinds & kComputeProcess) kinds.push_back("compute");
  if (process.kinds & kGraphicsProcess) kinds.push_back("graphics");
  if (process.kinds & kMpsProcess) kinds.push_back("mps");
  Json json = {{"pid", process.pid}, {"kinds", kinds}};
  put(json, "memoryBytes", process.memory_bytes);
  put(json, "gpuInstanceId", process.gpu_instance_id);
  put(json, "computeInstanceId", process.compute_instance_id);
  return json;
}

Json json_of(const MigReading& reading) {
  Json json = {{"index", reading.index},
               {"uuid", uuid_or_empty(reading.uuid)},
               {"gpuInstanceId", reading.gpu_instance_id},
               {"computeInstanceId", reading.compute_instance_id},
               {"use", json_of(reading.use)}};
  put(json, "memoryBytes", reading.memory_bytes);
  put(json, "memoryUsedBytes", reading.memory_used_bytes);
  return json;
}

Json json_of(const GpuReading& reading) {
  Json json = {{"index", reading.index},
               {"uuid", uuid_or_empty(reading.uuid)},
               {"use", json_of(reading.use)},
               {"clocks", json_of(reading.clocks)},
               {"processes", array_of(reading.processes)},
               {"instances", array_of(reading.instances)},
               {"problems", array_of(reading.problems)}};
  put(json, "memoryBytes", reading.memory_bytes);
  put(json, "memoryUsedBytes", reading.memory_used_bytes);
  put(json, "memoryUsePercent", reading.memory_use_percent);
  put(json, "temperatureC", reading.temperature_c);
  put(json, "powerWatts", reading.power_watts);
  if (reading.clock_limits) json["clockLimits"] = clock_limit_names(*reading.clock_limits);
  return json;
}

std::string to_json_text(const NvmlPoll& poll) {
  Json json = {{"available", poll.available},
               {"gpus", array_of(poll.gpus)},
               {"generation", poll.generation},
               {"cost", {{"cpuMs", poll.cpu_ms}, {"wallMs", poll.wall_ms}}}};
  put(json, "reason", poll.reason);
  return text_of(json);
}

}  // namespace seamscope
