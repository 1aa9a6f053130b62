// Every call of CUDA and NVML fails in turn: nothing crashes, hangs or leaks (with the sanitizers), and what is told
// names the call that failed.

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "devices_process.hpp"

using nlohmann::json;
using seamscope::test::doubles_folder;
using seamscope::test::run_probe;

namespace {

namespace fs = std::filesystem;

// Whose failure loses nothing that anybody asked for: the end of a session or of a sample, and the privileged way to
// what an instance's name tells too.
const std::set<std::string> kSilent = {"nvmlShutdown", "nvmlGpuInstanceGetInfo", "nvmlDeviceGetGpuInstanceById",
                                       "nvmlGpmSampleFree"};

json machine() {
  return json::parse(R"({"gpus": [
    {"name": "NVIDIA H200", "uuid": "aaaaaaaa-1111-2222-3333-000000000000", "pci": "00000000:18:00.0", "ecc": {},
     "nvlinks": [1, -1], "peers": [1], "processes": [{"pid": 4000000, "gi": 9, "ci": 0}],
     "mig": {"current": true, "slots": 2, "profiles": [{"id": 19, "name": "1g.18gb"}],
       "instances": [{"slot": 1, "uuid": "bbbbbbbb-1111-5222-8333-000000000001", "profile": "1g.18gb", "gi": 9}]}},
    {"name": "NVIDIA H200", "uuid": "cccccccc-1111-2222-3333-000000000000", "pci": "00000000:3b:00.0", "nvlinks": [-1],
     "peers": [0]}]})");
}

// No Vulkan driver: only the stand-ins are asked.
std::map<std::string, std::string> variables() {
  return {{"VK_DRIVER_FILES", "/nonexistent"}};
}

std::vector<std::string> traced_calls(const std::string& steps) {
  const std::string file = (fs::temp_directory_path() / ("seamscope-trace-" + std::to_string(getpid()))).string();
  fs::remove(file);
  auto environment = variables();
  environment["SEAMSCOPE_DOUBLES_TRACE"] = file;
  run_probe("driver", machine(), environment, steps);
  std::vector<std::string> calls;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) calls.push_back(line);
  fs::remove(file);
  return calls;
}

// With the sanitizers a run takes long: the first and the last call of each function then stand for the others.
bool stands_for_others(const std::string& call, int n, const std::vector<std::string>& calls) {
#if defined(__SANITIZE_ADDRESS__)
  return n == 1 || n == std::count(calls.begin(), calls.end(), call);
#else
  return n > 0 && !call.empty() && !calls.empty();
#endif
}

// The session is opened anew, and the same reading succeeds.
bool is_mended(const std::string& call, int n) {
  return call == "nvmlDeviceGetCount_v2" && n > 1;
}

// One run for each call.
void refuse_each(const std::string& steps) {
  if (doubles_folder().empty()) {
    MESSAGE("skipped: the stand-ins do not lie beside this executable");
    return;
  }
  std::map<std::string, int> seen;
  const auto calls = traced_calls(steps);
  CHECK(calls.size() > 50);
  for (const auto& call : calls) {
    const int n = ++seen[call];
    if (!stands_for_others(call, n, calls)) continue;
    json broken = machine();
    broken["faults"] = {{"function", call}, {"at", n}, {"error", 999}};
    const auto run = run_probe("driver", broken, variables(), steps);
    CAPTURE(call);
    CAPTURE(n);
    REQUIRE(run.exit_code == 0);
    std::string said = steps.empty() ? run.snapshot.dump() : "";
    for (const auto& line : run.lines) said += line.dump();
    if (!kSilent.count(call) && !is_mended(call, n)) CHECK(said.find(call) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("refusals: every call of a snapshot") {
  refuse_each("");
}

TEST_CASE("refusals: every call of two polls") {
  refuse_each(R"([{}, {"wait": 120}])");
}
