#include "machine.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace doubles {
namespace {

using Json = nlohmann::json;

Instance read_instance(const Json& json) {
  return {json.value("slot", 0u),
          json.value("gi", 0u),
          json.value("ci", 0u),
          json.value("sms", 16u),
          json.value("uuid", ""),
          json.value("profile", ""),
          json.value("memoryMiB", uint64_t{1024}),
          json.value("usedMiB", uint64_t{0})};
}

void read_mig(const Json& json, Gpu& gpu) {
  gpu.mig_supported = true;
  gpu.mig_current = json.value("current", false);
  gpu.mig_pending = json.value("pending", gpu.mig_current);
  gpu.slots = json.value("slots", 7u);
  for (const auto& profile : json.value("profiles", Json::array()))
    gpu.profiles.push_back({profile.value("id", 0u), profile.value("name", ""), profile.value("graphics", false)});
  for (const auto& instance : json.value("instances", Json::array())) gpu.instances.push_back(read_instance(instance));
}

Gpu read_gpu(const Json& json) {
  Gpu gpu;
  gpu.name = json.value("name", "NVIDIA Double");
  gpu.uuid = json.value("uuid", "00000000-0000-0000-0000-000000000001");
  gpu.pci = json.value("pci", "00000000:01:00.0");
  gpu.memory_mib = json.value("memoryMiB", uint64_t{81920});
  gpu.used_mib = json.value("usedMiB", uint64_t{512});
  gpu.sms = json.value("sms", 132u);
  const auto capability = json.value("computeCapability", std::vector<unsigned>{9, 0});
  gpu.major = capability.at(0);
  gpu.minor = capability.at(1);
  gpu.utilization = json.value("utilization", 7u);
  gpu.temperature = json.value("temperature", 41u);
  gpu.power_milliwatts = json.value("powerMilliwatts", 75500u);
  gpu.errors = json.value("errors", std::map<std::string, int>{});
  if (json.contains("mig")) read_mig(json["mig"], gpu);
  return gpu;
}

Machine read_machine() {
  Json json = Json::object();
  if (const char* path = std::getenv("SEAMSCOPE_DOUBLES")) {
    std::ifstream file(path);
    json = Json::parse(file, nullptr, false);
    if (json.is_discarded()) {
      std::fprintf(stderr, "SEAMSCOPE_DOUBLES=%s cannot be read as JSON\n", path);
      std::abort();
    }
  }
  Machine machine{json.value("driver", "580.159.04"), json.value("cudaVersion", 13000), json.value("cuInit", 0),
                  json.value("nvmlInit", 0),          json.value("privileged", true),   {}};
  for (const auto& gpu : json.value("gpus", Json::array())) machine.gpus.push_back(read_gpu(gpu));
  return machine;
}

}  // namespace

int Machine::driver_major() const {
  return std::atoi(driver.c_str());
}

const Machine& machine() {
  static const Machine instance = read_machine();
  return instance;
}

void uuid_bytes(const std::string& text, char* bytes) {
  std::string hex;
  for (const char c : text)
    if (c != '-') hex += c;
  for (size_t i = 0; i < 16; ++i) bytes[i] = static_cast<char>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
}

}  // namespace doubles
