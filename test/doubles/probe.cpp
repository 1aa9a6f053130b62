// Prints one device snapshot as JSON: the process that the tests start with an environment of their own.
// With an argument, a JSON array of steps, it holds NVML as the engine does and prints one line a step:
//   {"machine": {...}}  the description changes first, as a driver's answers do while a program runs
//   {"wait": 120}       milliseconds before the step
//   {"do": "poll"}      or "read"; "close" prints nothing

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "devices/nvml_monitor.hpp"
#include "devices/readings_json.hpp"
#include "devices/snapshot.hpp"
#include "devices/snapshot_json.hpp"

namespace {

using nlohmann::json;

void run_steps(const json& steps) {
  seamscope::NvmlMonitor monitor;
  for (const auto& step : steps) {
    if (step.contains("machine")) std::ofstream(std::getenv("SEAMSCOPE_DOUBLES")) << step["machine"];
    std::this_thread::sleep_for(std::chrono::milliseconds(step.value("wait", 0)));
    const std::string action = step.value("do", "poll");
    if (action == "close") monitor.close();
    if (action == "poll") std::puts(to_json_text(monitor.poll("")).c_str());
    if (action == "read") std::puts(to_json_text(monitor.read("").facts).c_str());
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) {
    run_steps(json::parse(arguments[1]));
    return 0;
  }
  const auto snapshot = seamscope::take_snapshot(seamscope::EnvironmentSource::process());
  std::puts(seamscope::to_json_text(snapshot).c_str());
}
