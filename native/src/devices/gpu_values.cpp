#include "devices/gpu_values.hpp"

namespace seamscope {
namespace {

using nvml::Api;
using nvml::nvmlDevice_t;

DeviceUse read_use(const Api& api, nvmlDevice_t gpu, GpuReading& reading, NvmlProblems& problems) {
  nvml::nvmlUtilization_t use{};
  const auto code = api.utilization(gpu, &use);
  if (problems.ok(code, "the utilisation")) {
    reading.memory_use_percent = use.memory;
    return {use.gpu, std::nullopt};
  }
  if (code == nvml::NVML_ERROR_NOT_SUPPORTED)
    return {std::nullopt, NotMeasured{"not-measurable-on-this-chip", "The use is not measurable on this chip."}};
  const std::string words = nvml::result_text(api, code);
  if (code == nvml::NVML_ERROR_FUNCTION_NOT_FOUND)
    return {std::nullopt, NotMeasured{"needs-driver", "This driver cannot measure the use."}};
  if (code == nvml::NVML_ERROR_NO_PERMISSION)
    return {std::nullopt, NotMeasured{"no-permission", "This user may not measure the use (" + words + ")."}};
  return {std::nullopt, NotMeasured{"failed", "The use could not be read (" + words + ")."}};
}

}  // namespace

GpuClocks read_clocks(const ClockCall& call, nvmlDevice_t gpu, NvmlProblems& problems) {
  struct Clock {
    int kind;
    std::optional<unsigned> GpuClocks::*field;
    const char* subject;
  };
  constexpr Clock kClocks[] = {{nvml::kClockGraphics, &GpuClocks::graphics_mhz, "the graphics clock"},
                               {nvml::kClockSm, &GpuClocks::sm_mhz, "the SM clock"},
                               {nvml::kClockMemory, &GpuClocks::memory_mhz, "the memory clock"},
                               {nvml::kClockVideo, &GpuClocks::video_mhz, "the video clock"}};
  GpuClocks clocks;
  unsigned mhz = 0;
  for (const auto& clock : kClocks)
    if (!problems.lost() && problems.ok(call(gpu, clock.kind, &mhz), clock.subject)) clocks.*clock.field = mhz;
  return clocks;
}

void read_values(const Api& api, nvmlDevice_t gpu, bool mig, GpuReading& reading, NvmlProblems& problems) {
  nvml::nvmlMemory_t memory{};
  if (problems.ok(api.memory_info(gpu, &memory), "the memory size")) {
    reading.memory_bytes = memory.total;
    reading.memory_used_bytes = memory.used;
  }
  if (mig)
    reading.use.missing =
        NotMeasured{"not-measurable-on-this-chip", "NVML has no use of the whole GPU in MIG mode; see its instances."};
  else
    reading.use = read_use(api, gpu, reading, problems);
  unsigned value = 0;
  if (problems.ok(api.temperature(gpu, nvml::kTemperatureOfGpu, &value), "the temperature"))
    reading.temperature_c = value;
  if (problems.ok(api.power_usage(gpu, &value), "the power draw")) reading.power_watts = value / 1000.0;
  if (problems.lost()) return;
  reading.clocks = read_clocks(api.clock, gpu, problems);
  unsigned long long bits = 0;
  if (problems.ok(api.clock_reasons(gpu, &bits), "what limits the clocks")) reading.clock_limits = bits;
}

}  // namespace seamscope
