// The inventories against stand-ins of libcuda and NVML, each in a process of its own.

#include <doctest/doctest.h>

#include "devices_process.hpp"

using nlohmann::json;
using seamscope::test::doubles_folder;
using seamscope::test::ProbeRun;
using seamscope::test::run_probe;

namespace {

constexpr const char* kParent = "aaaaaaaa-1111-2222-3333-000000000000";
constexpr const char* kFirst = "bbbbbbbb-1111-5222-8333-000000000001";
constexpr const char* kSecond = "bbbbbbbb-1111-5222-8333-000000000002";
constexpr const char* kWhole = "cccccccc-1111-2222-3333-000000000003";

// One GPU split in two, with holes in the slots, and one whole GPU.
json two_gpus() {
  return json::parse(R"({"driver": "580.159.04", "gpus": [
    {"name": "NVIDIA RTX PRO 6000", "uuid": "aaaaaaaa-1111-2222-3333-000000000000", "pci": "00000000:3B:00.0", "sms": 188,
     "memoryMiB": 97887, "computeCapability": [12, 0],
     "mig": {"current": true, "slots": 4,
       "profiles": [{"id": 0, "name": "1g.24gb", "graphics": false}, {"id": 47, "name": "1g.24gb+gfx", "graphics": true}],
       "instances": [
         {"slot": 1, "uuid": "bbbbbbbb-1111-5222-8333-000000000001", "profile": "1g.24gb+gfx", "gi": 3, "memoryMiB": 24192, "usedMiB": 64, "sms": 46},
         {"slot": 3, "uuid": "bbbbbbbb-1111-5222-8333-000000000002", "profile": "1g.24gb", "gi": 5, "memoryMiB": 24192, "sms": 46}]}},
    {"name": "NVIDIA H200", "uuid": "cccccccc-1111-2222-3333-000000000003", "pci": "00000000:18:00.0", "sms": 132,
     "memoryMiB": 143771, "mig": {"current": false, "pending": true}}]})");
}

json one_gpu() {
  json machine = two_gpus();
  machine["gpus"].erase(0);
  return machine;
}

bool built() {
  if (!doubles_folder().empty()) return true;
  MESSAGE("skipped: the stand-ins do not lie beside this executable");
  return false;
}

json snapshot_of(const json& machine, const std::map<std::string, std::string>& variables = {},
                 const char* driver = "driver") {
  const ProbeRun run = run_probe(driver, machine, variables);
  REQUIRE(run.exit_code == 0);
  REQUIRE(run.snapshot.is_object());
  return run.snapshot;
}

std::vector<std::string> cuda_uuids(const json& snapshot) {
  std::vector<std::string> uuids;
  for (const auto& device : snapshot["cuda"]["devices"]) uuids.push_back(device.value("uuid", "none"));
  return uuids;
}

}  // namespace

TEST_CASE("doubles: libraries are the stand-ins") {
  if (!built()) return;
  const auto snapshot = snapshot_of(two_gpus());
  CHECK(snapshot["libraries"][1]["path"] == doubles_folder() + "/driver/libcuda.so.1");
  CHECK(snapshot["libraries"][2]["path"] == doubles_folder() + "/driver/libnvidia-ml.so.1");
  CHECK(snapshot["cuda"]["driverVersion"] == "13.0");
  CHECK(snapshot["nvml"]["driverVersion"] == "580.159.04");
}

TEST_CASE("doubles: MIG instances behind holes, graphics asked of NVML") {
  if (!built()) return;
  for (const bool privileged : {true, false}) {
    CAPTURE(privileged);
    json machine = two_gpus();
    machine["privileged"] = privileged;
    const auto snapshot = snapshot_of(machine);
    const auto& gpu = snapshot["nvml"]["gpus"][0];
    CHECK(gpu["mig"] == json({{"supported", true}, {"current", true}, {"pending", true}}));
    CHECK(gpu["pci"] == "0000:3b:00.0");
    CHECK_FALSE(gpu.contains("utilizationPercent"));
    CHECK(gpu["problems"].empty());
    REQUIRE(gpu["instances"].size() == 2);
    json first = gpu["instances"][0];
    CHECK(first.contains("placement") == privileged);
    CHECK(first["use"]["missing"]["code"] == "needs-second-reading");
    CHECK(first["engines"]["copy"] == 1);
    for (const char* checked : {"placement", "use", "engines"}) first.erase(checked);
    CHECK(first == json({{"index", 1},
                         {"uuid", kFirst},
                         {"nvmlUuid", std::string("MIG-") + kFirst},
                         {"name", "NVIDIA RTX PRO 6000 MIG 1g.24gb+gfx"},
                         {"gpuInstanceId", 3},
                         {"computeInstanceId", 0},
                         {"memoryBytes", 24192ull << 20},
                         {"memoryUsedBytes", 64ull << 20},
                         {"smCount", 46},
                         {"profile", "1g.24gb+gfx"},
                         {"profileId", 47},
                         {"legacyUuid", std::string("MIG-GPU-") + kParent + "/3/0"},
                         {"graphics", true}}));
    CHECK(gpu["instances"][1]["index"] == 3);
    CHECK(gpu["instances"][1]["graphics"] == false);
    const auto& whole = snapshot["nvml"]["gpus"][1];
    CHECK(whole["mig"] == json({{"supported", true}, {"current", false}, {"pending", true}}));
    CHECK(whole["utilizationPercent"] == 7);
    CHECK(whole["powerWatts"] == 75.5);
    CHECK(whole["temperatureC"] == 41);
  }
}

TEST_CASE("doubles: siblings keep their own UUIDs although the legacy call gives the parent's") {
  if (!built()) return;
  const auto snapshot = snapshot_of(two_gpus());
  CHECK(cuda_uuids(snapshot) == std::vector<std::string>{kFirst, kSecond, kWhole});
  CHECK(snapshot["cuda"]["devices"][0]["computeCapability"] == "12.0");
  CHECK(snapshot["cuda"]["devices"][0]["attributes"]["multiprocessorCount"] == 46);
  CHECK(snapshot["matches"][0]["gpuIndex"] == 0);
  CHECK(snapshot["matches"][0]["migIndex"] == 1);
  CHECK(snapshot["matches"][1]["reasons"][0]["code"] == "mig-without-graphics");
}

TEST_CASE("doubles: a driver without cuDeviceGetUuid_v2 gives no UUID at all") {
  if (!built()) return;
  json machine = two_gpus();
  machine["driver"] = "460.91.03";
  machine["cudaVersion"] = 11020;
  const auto snapshot = snapshot_of(machine, {}, "driver-without-uuid-v2");
  REQUIRE(snapshot["cuda"]["devices"].size() == 1);
  const auto& device = snapshot["cuda"]["devices"][0];
  CHECK_FALSE(device.contains("uuid"));
  CHECK(device["uuidReason"]["code"] == "cuda-too-old-for-uuid-v2");
  CHECK(device["uuidReason"]["message"].get<std::string>().find("CUDA 11.2") != std::string::npos);
  // That age of driver has no UUID for an instance either.
  CHECK(snapshot["nvml"]["gpus"][0]["instances"][0]["uuid"] == "");
  CHECK(snapshot["nvml"]["gpus"][0]["instances"][0]["nvmlUuid"] == std::string("MIG-GPU-") + kParent + "/3/0");
}

TEST_CASE("doubles: CUDA_VISIBLE_DEVICES") {
  if (!built()) return;
  struct Case {
    std::string value;
    std::vector<std::string> uuids;
    const char* hidden_whole;  // the reason code for the whole GPU's missing ordinal; "" = it has one
  };
  const char* kHidden = "hidden-by-cuda-visible-devices";
  const Case cases[] = {
      {"2,0", {kWhole, kFirst}, ""},
      {"GPU-cccccccc", {kWhole}, ""},
      {std::string("MIG-") + kSecond, {kSecond}, kHidden},
      {"1,7,2", {kSecond}, kHidden},
      {"", {}, kHidden},
      {"-1", {}, kHidden},
      {"GPU-dddddddd", {}, kHidden},
  };
  for (const auto& item : cases) {
    CAPTURE(item.value);
    const auto snapshot = snapshot_of(two_gpus(), {{"CUDA_VISIBLE_DEVICES", item.value}});
    CHECK(cuda_uuids(snapshot) == item.uuids);
    CHECK(snapshot["cuda"]["available"] == !item.uuids.empty());
    for (const auto& row : snapshot["matches"]) {
      if (row.value("gpuIndex", 0) != 1) continue;
      CHECK(row.contains("cudaOrdinal") == (std::string(item.hidden_whole) == ""));
      if (!row.contains("cudaOrdinal")) CHECK(row["reasons"][0]["code"] == item.hidden_whole);
    }
  }
}

TEST_CASE("doubles: one MIG instance before R570") {
  if (!built()) return;
  json machine = two_gpus();
  machine["driver"] = "550.90.07";
  const auto snapshot = snapshot_of(machine);
  CHECK(cuda_uuids(snapshot) == std::vector<std::string>{kFirst});
  bool seen = false;
  for (const auto& row : snapshot["matches"]) {
    if (row.value("uuid", "") != kSecond) continue;
    seen = true;
    CHECK(row["reasons"][0]["code"] == "mig-one-instance-limit");
  }
  CHECK(seen);
}

TEST_CASE("doubles: cuInit's error by number") {
  if (!built()) return;
  struct Case {
    int number;
    const char* code;
  };
  constexpr Case kCases[] = {
      {34, "cuda-stub-library"},     {100, "cuda-no-device"},          {802, "cuda-system-not-ready"},
      {803, "cuda-driver-mismatch"}, {804, "cuda-compat-unsupported"}, {805, "cuda-mps-failed"},
      {809, "cuda-mps-failed"},      {999, "cuda-init-failed"},        {46, "cuda-init-failed"},
  };
  for (const auto& item : kCases) {
    CAPTURE(item.number);
    json machine = one_gpu();
    machine["cuInit"] = item.number;
    const auto snapshot = snapshot_of(machine);
    const auto& reason = snapshot["cuda"]["reason"];
    CHECK(snapshot["cuda"]["available"] == false);
    CHECK(reason["code"] == item.code);
    CHECK(reason["detail"].get<std::string>().find("(" + std::to_string(item.number) + ")") != std::string::npos);
    CHECK(snapshot["matches"].back()["reasons"][0]["code"] == item.code);
  }
}

TEST_CASE("doubles: a driver without any GPU") {
  if (!built()) return;
  const auto snapshot = snapshot_of(json::object());
  CHECK(snapshot["cuda"]["reason"]["code"] == "cuda-no-device");
  CHECK(snapshot["nvml"]["available"] == true);
  CHECK(snapshot["nvml"]["gpus"].empty());
}

TEST_CASE("doubles: NVML's own failures") {
  if (!built()) return;
  struct Case {
    int number;
    const char* code;
  };
  constexpr Case kCases[] = {{18, "nvml-driver-mismatch"}, {4, "nvml-no-permission"}, {9, "nvml-init-failed"}};
  for (const auto& item : kCases) {
    CAPTURE(item.number);
    json machine = one_gpu();
    machine["nvmlInit"] = item.number;
    const auto snapshot = snapshot_of(machine);
    CHECK(snapshot["nvml"]["available"] == false);
    CHECK(snapshot["nvml"]["reason"]["code"] == item.code);
    CHECK(cuda_uuids(snapshot) == std::vector<std::string>{kWhole});
  }
}

TEST_CASE("doubles: one call that fails leaves the rest of the GPU") {
  if (!built()) return;
  json machine = two_gpus();
  machine["gpus"][1]["errors"] = {{"nvmlDeviceGetTemperature", 4}, {"nvmlDeviceGetPowerUsage", 999}};
  const auto gpu = snapshot_of(machine)["nvml"]["gpus"][1];
  CHECK_FALSE(gpu.contains("temperatureC"));
  CHECK_FALSE(gpu.contains("powerWatts"));
  CHECK(gpu["utilizationPercent"] == 7);
  REQUIRE(gpu["problems"].size() == 2);
  CHECK(gpu["problems"][0]["code"] == "nvml-no-permission");
  CHECK(gpu["problems"][1]["code"] == "nvml-call-failed");
}

TEST_CASE("doubles: a GPU whose handle is denied, and one that is lost") {
  if (!built()) return;
  json machine = two_gpus();
  machine["gpus"][0]["errors"] = {{"nvmlDeviceGetHandleByIndex_v2", 4}};
  machine["gpus"][1]["errors"] = {{"nvmlDeviceGetUtilizationRates", 15}, {"nvmlDeviceGetTemperature", 15}};
  const auto gpus = snapshot_of(machine)["nvml"]["gpus"];
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0]["uuid"] == "");
  CHECK(gpus[0]["problems"][0]["code"] == "nvml-no-permission");
  CHECK(gpus[1]["uuid"] == kWhole);
  REQUIRE(gpus[1]["problems"].size() == 1);
  CHECK(gpus[1]["problems"][0]["code"] == "gpu-lost");
}
