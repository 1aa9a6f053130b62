#include "devices/nvml_inventory.hpp"

#include "devices/gpu_health.hpp"
#include "devices/gpu_values.hpp"
#include "devices/mig_inventory.hpp"
#include "devices/pci.hpp"

namespace seamscope {
namespace {

using nvml::Api;
using nvml::nvmlDevice_t;

const char* architecture_name(unsigned number) {
  // Position = NVML's number. A newer one comes without a name.
  constexpr const char* kNames[] = {"",       "",       "Kepler", "Maxwell", "Pascal",   "Volta",
                                    "Turing", "Ampere", "Ada",    "Hopper",  "Blackwell"};
  return number < sizeof(kNames) / sizeof(kNames[0]) ? kNames[number] : "";
}

void read_identity(const Api& api, nvmlDevice_t handle, NvmlGpu& gpu, NvmlProblems& problems) {
  char text[nvml::kTextBytes] = "";
  if (problems.ok(api.name(handle, text, sizeof text), "the name")) gpu.name = text;
  if (problems.ok(api.uuid(handle, text, sizeof text), "the UUID")) gpu.uuid = parse_uuid(text);
  nvml::nvmlPciInfo_t pci{};
  if (problems.ok(api.pci_info(handle, &pci), "the PCI address")) gpu.pci = normal_pci(pci.busId);
  unsigned architecture = 0;
  if (problems.ok(api.architecture(handle, &architecture), "the architecture"))
    gpu.architecture = architecture_name(architecture);
  int mode = 0;
  if (problems.ok(api.compute_mode(handle, &mode), "the compute mode")) gpu.compute_mode = mode;
}

}  // namespace

NvmlGpu describe_gpu(const Api& api, unsigned index, GpmSampler& sampler) {
  NvmlGpu gpu;
  gpu.index = index;
  gpu.name = "GPU " + std::to_string(index);
  NvmlProblems problems(api, gpu.name, gpu.problems);
  nvmlDevice_t handle = nullptr;
  if (!problems.ok(api.device_by_index(index, &handle), gpu.name)) return gpu;

  read_identity(api, handle, gpu, problems);
  std::vector<MigHandle> handles;
  read_mig(api, handle, sampler, gpu, handles, problems);
  GpuReading now;
  read_values(api, handle, gpu.mig_current, now, problems);
  gpu.memory_bytes = now.memory_bytes.value_or(0);
  gpu.memory_used_bytes = now.memory_used_bytes;
  if (now.use.percent) gpu.utilization_percent = static_cast<unsigned>(*now.use.percent);
  gpu.use = now.use;
  gpu.temperature_c = now.temperature_c;
  gpu.power_watts = now.power_watts;
  gpu.health = read_health(api, handle, now, problems);
  gpu.processes = read_processes(api, handle, handles, problems);
  return gpu;
}

}  // namespace seamscope
