// The real drivers of this machine, whatever they are.

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "devices/nvml_monitor.hpp"
#include "devices/snapshot.hpp"
#include "devices/snapshot_json.hpp"

using namespace seamscope;

namespace {

size_t open_descriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

}  // namespace

TEST_CASE("a snapshot leaves no descriptor open") {
  const size_t at_start = open_descriptors();
  const auto first = take_snapshot(EnvironmentSource::process());
  // CUDA keeps its device nodes open for the life of the process.
  if (!first.cuda.available) CHECK(open_descriptors() == at_start);
  const size_t before = open_descriptors();
  for (int i = 0; i < 5; ++i) take_snapshot(EnvironmentSource::process());
  CHECK(open_descriptors() == before);
}

TEST_CASE("every source is there or says why not, and every row is matched or explained") {
  const auto snapshot = take_snapshot(EnvironmentSource::process());
  CHECK(snapshot.vulkan.available == !snapshot.vulkan.reason);
  CHECK(snapshot.cuda.available == !snapshot.cuda.reason);
  CHECK(snapshot.nvml.available == !snapshot.nvml.reason);
  for (const auto& row : snapshot.matches) CHECK(row.reasons.empty() == (row.status == MatchStatus::Matched));
}

TEST_CASE("the CPU driver is shown as such and never matched") {
  const auto snapshot = take_snapshot(EnvironmentSource::process());
  bool seen = false;
  for (const auto& row : snapshot.matches) {
    if (!row.vulkan_index) continue;
    const auto& device = snapshot.vulkan.devices[static_cast<size_t>(*row.vulkan_index)];
    if (!device.is_cpu) continue;
    seen = true;
    CHECK(row.reasons.at(0).code == ReasonCode::CpuDriver);
    CHECK(device.type == "cpu");
    CHECK(device.queue_families.size() > 0);
    CHECK(device.memory_bytes > 0);
  }
  if (!seen) MESSAGE("skipped: no CPU Vulkan driver is installed");
}

TEST_CASE("a CUDA device with a Vulkan partner has its very UUID") {
  const auto snapshot = take_snapshot(EnvironmentSource::process());
  if (!snapshot.cuda.available) {
    MESSAGE("skipped: ", snapshot.cuda.reason->message);
    return;
  }
  for (const auto& row : snapshot.matches) {
    if (row.status != MatchStatus::Matched) continue;
    CHECK(snapshot.cuda.devices[static_cast<size_t>(*row.cuda_ordinal)].uuid ==
          snapshot.vulkan.devices[static_cast<size_t>(*row.vulkan_index)].device_uuid);
  }
}

TEST_CASE("NVML can be read again after it was closed") {
  NvmlMonitor monitor;
  const auto first = monitor.read("");
  monitor.close();
  monitor.close();
  const auto second = monitor.read("");
  CHECK(first.facts.available == second.facts.available);
  CHECK(first.facts.gpus.size() == second.facts.gpus.size());
}

TEST_CASE("JSON holds bytes that are no UTF-8") {
  DeviceSnapshot snapshot;
  snapshot.environment.variables["LD_LIBRARY_PATH"] = "/opt/\xff";
  const auto json = nlohmann::json::parse(to_json_text(snapshot));
  CHECK(json["version"] == 1);
  CHECK(json["environment"]["variables"]["LD_LIBRARY_PATH"] == "/opt/\xEF\xBF\xBD");
}
