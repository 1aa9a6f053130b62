#include "machine.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <list>
#include <nlohmann/json.hpp>
#include <sstream>

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
          json.value("usedMiB", uint64_t{0}),
          json.value("start", 0u),
          json.value("size", 1u),
          json.value("use", 0.0)};
}

Ecc read_ecc(const Json& json) {
  return {true, json.value("enabled", true), json.value("pending", json.value("enabled", true)),
          json.value("corrected", 0ull), json.value("uncorrected", 0ull)};
}

void read_mig(const Json& json, Gpu& gpu) {
  gpu.mig_supported = true;
  gpu.mig_current = json.value("current", false);
  gpu.mig_pending = json.value("pending", gpu.mig_current);
  gpu.slots = json.value("slots", 7u);
  for (const auto& profile : json.value("profiles", Json::array()))
    gpu.profiles.push_back({profile.value("id", 0u), profile.value("sms", 16u), profile.value("instances", 7u),
                            profile.value("name", ""), profile.value("graphics", false),
                            profile.value("memoryMiB", uint64_t{1024})});
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
  gpu.architecture = json.value("architecture", gpu.major);
  gpu.compute_mode = json.value("computeMode", 0u);
  gpu.graphics_mhz = json.value("graphicsMhz", 1980u);
  gpu.clock_limits = json.value("clockLimits", 1ull);
  if (json.contains("ecc")) gpu.ecc = read_ecc(json["ecc"]);
  for (const auto& each : json.value("processes", Json::array()))
    gpu.processes.push_back({each.value("pid", 1u), each.value("gi", ~0u), each.value("ci", ~0u),
                             each.value("kind", "compute"), each.value("memoryMiB", uint64_t{64})});
  gpu.nvlinks = json.value("nvlinks", std::vector<int>{});
  if (json.contains("peers")) gpu.peers = json["peers"].get<std::vector<int>>();
  gpu.vulkan = json.value("vulkan", false);
  gpu.errors = json.value("errors", std::map<std::string, int>{});
  if (json.contains("mig")) read_mig(json["mig"], gpu);
  return gpu;
}

std::string description() {
  const char* path = std::getenv("SEAMSCOPE_DOUBLES");
  if (!path) return "{}";
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Machine read_machine(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    std::fprintf(stderr, "SEAMSCOPE_DOUBLES=%s cannot be read as JSON\n", std::getenv("SEAMSCOPE_DOUBLES"));
    std::abort();
  }
  Machine machine{json.value("driver", "580.159.04"), json.value("cudaVersion", 13000), json.value("cuInit", 0),
                  json.value("nvmlInit", 0),          json.value("privileged", true),   {}};
  for (const auto& gpu : json.value("gpus", Json::array())) machine.gpus.push_back(read_gpu(gpu));
  return machine;
}

struct Version {
  std::string text;
  Machine machine;
};

// Every description so far; the last one holds.
std::list<Version>& versions() {
  static std::list<Version> list;
  return list;
}

}  // namespace

int Machine::driver_major() const {
  return std::atoi(driver.c_str());
}

const Machine& machine() {
  if (versions().empty()) follow_changes();
  return versions().back().machine;
}

void follow_changes() {
  const std::string text = description();
  if (versions().empty() || versions().back().text != text) versions().push_back({text, read_machine(text)});
}

void uuid_bytes(const std::string& text, char* bytes) {
  std::string hex;
  for (const char c : text)
    if (c != '-') hex += c;
  for (size_t i = 0; i < 16; ++i) bytes[i] = static_cast<char>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
}

}  // namespace doubles
