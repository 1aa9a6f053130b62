#include "devices/snapshot.hpp"

#include <time.h>

#include "devices/cuda_inventory.hpp"
#include "devices/diagnose.hpp"
#include "devices/icd_files.hpp"
#include "devices/match.hpp"
#include "devices/nvml_monitor.hpp"
#include "devices/vulkan_inventory.hpp"

namespace seamscope {
namespace {

std::string iso_time() {
  const time_t now = time(nullptr);
  tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

CudaInventory untouched_cuda() {
  CudaInventory inventory;
  inventory.library.name = "libcuda.so.1";
  inventory.facts.reason = make_reason(ReasonCode::ProbeFailed);
  return inventory;
}

}  // namespace

DeviceSnapshot take_snapshot(const EnvironmentSource& source, bool with_cuda) {
  DeviceSnapshot snapshot;
  snapshot.taken_at = iso_time();
  snapshot.environment = read_environment(source);
  auto vulkan = read_vulkan(snapshot.environment);
  auto cuda = with_cuda ? read_cuda(snapshot.environment) : untouched_cuda();
  NvmlMonitor monitor;
  auto nvml = monitor.read(snapshot.environment.kernel_driver_version, true);
  snapshot.libraries = {vulkan.library, cuda.library, nvml.library};
  snapshot.vulkan = std::move(vulkan.facts);
  snapshot.cuda = std::move(cuda.facts);
  snapshot.nvml = std::move(nvml.facts);
  attach_loader_messages(snapshot.environment.icd_files, snapshot.vulkan.loader_messages);
  sharpen_reasons(snapshot);
  snapshot.matches = match_devices(snapshot);
  return snapshot;
}

}  // namespace seamscope
