#pragma once
// Runs the snapshot in a process of its own: LD_LIBRARY_PATH and CUDA's variables are read at a process's start only.

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace seamscope::test {

struct ProbeRun {
  int exit_code = -1;  // -1: killed after a minute, or by a signal
  nlohmann::json snapshot;
  std::vector<nlohmann::json> lines;  // with steps: one a step
};

// Where the stand-ins lie, beside the test executable; empty when they were not built.
std::string doubles_folder();

// Starts doubles/seamscope_probe with the stand-ins of `driver` ("driver" or "driver-without-uuid-v2"; a whole path:
// that folder alone) describing `machine`. `variables` are added to an environment without any CUDA, NVIDIA or Vulkan
// variable.
// `steps` is the argument that makes it hold NVML, see test/doubles/probe.cpp.
ProbeRun run_probe(const std::string& driver, const nlohmann::json& machine,
                   const std::map<std::string, std::string>& variables = {}, const std::string& steps = "");

}  // namespace seamscope::test
