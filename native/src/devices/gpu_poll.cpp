#include "devices/gpu_poll.hpp"

#include <cstdio>

#include "devices/gpu_processes.hpp"
#include "devices/gpu_values.hpp"
#include "devices/mig_walk.hpp"

namespace seamscope {
namespace {

using nvml::Api;
using nvml::nvmlDevice_t;

std::string text_key(const std::optional<Uuid>& uuid, unsigned index) {
  return uuid ? uuid_text(*uuid) : std::to_string(index);
}

MigReading read_instance(const Api& api, nvmlDevice_t mig, unsigned index, NvmlProblems& problems) {
  MigReading reading;
  reading.index = index;
  const std::string subject = "of MIG instance " + std::to_string(index);
  char text[nvml::kTextBytes] = "";
  if (problems.ok(api.uuid(mig, text, sizeof text), "the UUID " + subject)) reading.uuid = parse_uuid(text);
  problems.ok(api.gpu_instance_id(mig, &reading.gpu_instance_id), "the GPU instance " + subject);
  problems.ok(api.compute_instance_id(mig, &reading.compute_instance_id), "the compute instance " + subject);
  nvml::nvmlMemory_t memory{};
  if (problems.ok(api.memory_info(mig, &memory), "the memory " + subject)) {
    reading.memory_bytes = memory.total;
    reading.memory_used_bytes = memory.used;
  }
  return reading;
}

}  // namespace

GpuReading poll_gpu(const Api& api, unsigned index, GpmSampler& sampler) {
  GpuReading reading;
  reading.index = index;
  const std::string name = "GPU " + std::to_string(index);
  NvmlProblems problems(api, name, reading.problems);
  nvmlDevice_t gpu = nullptr;
  if (!problems.ok(api.device_by_index(index, &gpu), name)) return reading;
  char text[nvml::kTextBytes] = "";
  if (problems.ok(api.uuid(gpu, text, sizeof text), "the UUID")) reading.uuid = parse_uuid(text);
  const MigMode mig = read_mig_mode(api, gpu, problems);
  read_values(api, gpu, mig.current, reading, problems);
  std::vector<MigHandle> handles;
  if (mig.current) {
    for_each_instance(api, gpu, problems, [&](nvmlDevice_t handle, unsigned slot) {
      auto instance = read_instance(api, handle, slot, problems);
      instance.use = sampler.use(gpu, text_key(reading.uuid, index), instance.gpu_instance_id);
      handles.push_back({handle, instance.gpu_instance_id, instance.compute_instance_id});
      reading.instances.push_back(std::move(instance));
    });
  }
  reading.processes = read_processes(api, gpu, handles, problems);
  return reading;
}

std::string generation_of(const std::vector<GpuReading>& gpus) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  const auto mix = [&](const std::string& text) {
    for (const char c : text + ";") hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  };
  for (const auto& gpu : gpus) {
    mix(text_key(gpu.uuid, gpu.index));
    for (const auto& instance : gpu.instances)
      mix(std::to_string(instance.gpu_instance_id) + "/" + std::to_string(instance.compute_instance_id) + "/" +
          text_key(instance.uuid, instance.index));
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace seamscope
