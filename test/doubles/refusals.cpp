#include "refusals.hpp"

#include <cstdio>
#include <optional>

#include "interop/driver_tap.hpp"
#include "interop/fd_table.hpp"
#include "seamtest/cell_json.hpp"
#include "seamtest/cell_runner.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
using LeaksAllowed = __lsan::ScopedDisabler;
#else
struct LeaksAllowed {};
#endif

namespace doubles {
namespace {

using namespace seamscope;
using nlohmann::json;

struct Subject {
  seamtest::DeviceChoice choice;
  seamtest::Cell cell;

  Result<seamtest::CellResult> run() const {
    seamtest::Workplace workplace(choice);
    return seamtest::run_in_one_process(workplace, cell);
  }
};

// What was refused here stays with the driver for good: a wait gives the device up, a release is never made.
bool keeps_handles(const std::string& call) {
  for (const char* word : {"Wait", "Destroy", "Release", "Free", "Unmap", "Unload", "Synchronize"})
    if (call.find(word) != std::string::npos) return true;
  return false;
}

void refuse(const Subject& subject, uint64_t n, const std::string& call) {
  std::optional<LeaksAllowed> allowed;
  if (keeps_handles(call)) allowed.emplace();
  auto& tap = interop::DriverTap::process();
  const auto fds = static_cast<int64_t>(interop::open_fd_count());
  tap.refuse_call(n);
  const auto result = subject.run();
  tap.refuse_call(0);
  json line{{"call", call},
            {"mayKeep", keeps_handles(call)},
            {"error", result ? "" : result.error().message},
            {"openHandles", result ? result->open_handles : std::vector<std::string>{}},
            {"fdsLeft", static_cast<int64_t>(interop::open_fd_count()) - fds}};
  std::puts(line.dump().c_str());
}

}  // namespace

int refuse_every_call(const json& job) {
  Subject subject;
  const json device = job.value("device", json::object());
  subject.choice.vulkan_uuid = device.value("vulkanUuid", "");
  if (device.contains("cudaOrdinal")) subject.choice.cuda_ordinal = device["cudaOrdinal"];
  auto cell = seamtest::cell_from_json(job.value("cell", json::object()));
  if (!cell) return 2;
  subject.cell = *cell;
  std::vector<std::string> calls;
  auto& tap = interop::DriverTap::process();
  tap.trace_to(&calls);
  const auto whole = subject.run();
  tap.trace_to(nullptr);
  if (!whole) {
    std::fprintf(stderr, "%s\n", whole.error().message.c_str());
    return 1;
  }
  for (size_t i = 0; i < calls.size(); ++i) refuse(subject, i + 1, calls[i]);
  return 0;
}

}  // namespace doubles
