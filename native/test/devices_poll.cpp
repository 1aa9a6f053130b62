// NVML held open, as the engine does it: changing values, GPM, and machines that change while one looks.

#include <doctest/doctest.h>

#include "devices_process.hpp"

using nlohmann::json;
using seamscope::test::doubles_folder;
using seamscope::test::run_probe;

namespace {

json machine() {
  return json::parse(R"({"gpus": [{"name": "NVIDIA H200", "uuid": "aaaaaaaa-1111-2222-3333-000000000000",
    "usedMiB": 1024, "utilization": 42, "clockLimits": 68,
    "processes": [{"pid": 4000000, "memoryMiB": 512}, {"pid": 4000000, "kind": "graphics", "memoryMiB": 512}]}]})");
}

json split(int instances, int architecture = 9) {
  json mig = {{"current", true}, {"slots", 7}, {"instances", json::array()}};
  for (int i = 0; i < instances; ++i)
    mig["instances"].push_back({{"slot", i},
                                {"uuid", "bbbbbbbb-1111-5222-8333-00000000000" + std::to_string(i)},
                                {"gi", 7 + i},
                                {"memoryMiB", 16384},
                                {"usedMiB", 100 * (i + 1)},
                                {"use", 25.5 + i}});
  json whole = machine();
  whole["gpus"][0]["mig"] = mig;
  whole["gpus"][0]["architecture"] = architecture;
  whole["gpus"][0]["processes"] = json::array({{{"pid", 4000000}, {"gi", 7}, {"ci", 0}}});
  return whole;
}

std::vector<json> polls(const json& first, const json& steps) {
  const auto run = run_probe("driver", first, {}, steps.dump());
  REQUIRE(run.exit_code == 0);
  return run.lines;
}

const json kPoll = json::object();
const json kLater = {{"wait", 120}};

json after(const json& machine) {
  return {{"machine", machine}};
}

bool built() {
  if (!doubles_folder().empty()) return true;
  MESSAGE("skipped: the stand-ins do not lie beside this executable");
  return false;
}

}  // namespace

TEST_CASE("poll: the changing values of a whole GPU") {
  if (!built()) return;
  const auto gpu = polls(machine(), json::array({kPoll})).at(0)["gpus"][0];
  CHECK(gpu["use"] == json({{"percent", 42.0}}));
  CHECK(gpu["memoryUsedBytes"] == 1024ull << 20);
  CHECK(gpu["clocks"] == json({{"graphicsMhz", 1980}, {"smMhz", 1980}, {"memoryMhz", 3201}, {"videoMhz", 1980}}));
  CHECK(gpu["clockLimits"] == json::array({"power-cap", "hardware-thermal"}));
  REQUIRE(gpu["processes"].size() == 1);
  CHECK(gpu["processes"][0] ==
        json({{"pid", 4000000}, {"kinds", {"compute", "graphics"}}, {"memoryBytes", 512ull << 20}}));
  CHECK(gpu["problems"].empty());
}

TEST_CASE("poll: the use of MIG instances comes with the second reading on Hopper") {
  if (!built()) return;
  const auto lines = polls(split(2), json::array({kPoll, kLater, kPoll}));
  const auto use = [&](size_t line, size_t instance) {
    return lines.at(line)["gpus"][0]["instances"][instance]["use"];
  };
  CHECK(use(0, 0)["missing"]["code"] == "needs-second-reading");
  CHECK(use(1, 0) == json({{"percent", 25.5}}));
  CHECK(use(1, 1) == json({{"percent", 26.5}}));
  CHECK(use(2, 1) == json({{"percent", 26.5}}));
  CHECK(lines[1]["gpus"][0]["use"]["missing"]["code"] == "not-measurable-on-this-chip");
  CHECK(lines[1]["gpus"][0]["processes"][0]["gpuInstanceId"] == 7);
}

TEST_CASE("poll: the use of MIG instances is not measurable before Hopper") {
  if (!built()) return;
  const auto lines = polls(split(1, 8), json::array({kPoll, kLater}));
  const auto missing = lines.at(1)["gpus"][0]["instances"][0]["use"]["missing"];
  CHECK(missing["code"] == "not-measurable-on-this-chip");
  CHECK(missing["message"].get<std::string>().find("not measurable on this chip") != std::string::npos);
}

TEST_CASE("poll: without the privilege processes are asked of each instance") {
  if (!built()) return;
  json machine = split(2);
  machine["privileged"] = false;
  const auto gpu = polls(machine, json::array({kPoll})).at(0)["gpus"][0];
  REQUIRE(gpu["processes"].size() == 1);
  CHECK(gpu["processes"][0]["gpuInstanceId"] == 7);
  CHECK(gpu["problems"].empty());
}

TEST_CASE("poll: a GPU that is split anew is followed without a restart") {
  if (!built()) return;
  json last = after(split(1));
  last["do"] = "read";
  const auto lines = polls(split(1), json::array({kPoll, kPoll, after(split(3)), kLater, after(machine()), last}));
  CHECK(lines.at(0)["generation"] == lines.at(1)["generation"]);
  CHECK(lines.at(1)["generation"] != lines.at(2)["generation"]);
  CHECK(lines.at(2)["gpus"][0]["instances"].size() == 3);
  CHECK(lines.at(3)["gpus"][0]["instances"][2]["use"]["percent"] == 27.5);
  CHECK(lines.at(4)["gpus"][0]["instances"].empty());
  CHECK(lines.at(5)["gpus"][0]["instances"].size() == 1);
}

TEST_CASE("poll: a lost GPU keeps its row, and comes back") {
  if (!built()) return;
  json lost = machine();
  lost["gpus"][0]["errors"] = {{"nvmlDeviceGetTemperature", 15}};
  const auto lines = polls(machine(), json::array({kPoll, after(lost), after(machine())}));
  CHECK(lines.at(0)["gpus"][0]["problems"].empty());
  CHECK(lines.at(1)["gpus"][0]["problems"][0]["code"] == "gpu-lost");
  CHECK(lines.at(2)["gpus"][0]["problems"].empty());
}

TEST_CASE("poll: a driver that is reloaded is opened anew") {
  if (!built()) return;
  json gone = machine();
  gone["nvmlInit"] = 9;
  json other = machine();
  other["gpus"].push_back(other["gpus"][0]);
  const auto lines = polls(machine(), json::array({kPoll, after(gone), after(other), json({{"do", "close"}}), kPoll}));
  CHECK(lines.at(0)["available"] == true);
  CHECK(lines.at(1)["available"] == false);
  CHECK(lines.at(1)["reason"]["code"] == "nvml-init-failed");
  CHECK(lines.at(1)["reason"]["detail"].get<std::string>().find("nvmlInit_v2") == 0);
  CHECK(lines.at(2)["gpus"].size() == 2);
  CHECK(lines.at(3)["gpus"].size() == 2);
}
