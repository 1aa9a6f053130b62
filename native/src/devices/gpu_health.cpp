#include "devices/gpu_health.hpp"

#include "devices/gpu_values.hpp"

namespace seamscope {
namespace {

using nvml::Api;
using nvml::nvmlDevice_t;

std::optional<EccState> read_ecc(const Api& api, nvmlDevice_t gpu, NvmlProblems& problems) {
  unsigned current = 0, pending = 0;
  if (!problems.ok(api.ecc_mode(gpu, &current, &pending), "the ECC mode")) return std::nullopt;
  EccState ecc{current != 0, pending != 0, std::nullopt, std::nullopt};
  if (!ecc.enabled) return ecc;
  unsigned long long count = 0;
  if (problems.ok(api.ecc_errors(gpu, nvml::kEccCorrected, nvml::kEccVolatile, &count), "the corrected ECC errors"))
    ecc.corrected_errors = count;
  if (problems.ok(api.ecc_errors(gpu, nvml::kEccUncorrected, nvml::kEccVolatile, &count), "the uncorrected ECC errors"))
    ecc.uncorrected_errors = count;
  return ecc;
}

}  // namespace

GpuHealth read_health(const Api& api, nvmlDevice_t gpu, const GpuReading& now, NvmlProblems& problems) {
  GpuHealth health;
  health.temperature_c = now.temperature_c;
  health.power_watts = now.power_watts;
  health.clocks = now.clocks;
  health.clock_limits = now.clock_limits;
  if (problems.lost()) return health;
  unsigned value = 0;
  if (problems.ok(api.temperature_limit(gpu, nvml::kTemperatureOfSlowdown, &value), "the slowdown temperature"))
    health.slowdown_temperature_c = value;
  if (problems.ok(api.power_limit(gpu, &value), "the power limit")) health.power_limit_watts = value / 1000.0;
  if (problems.ok(api.fan_speed(gpu, &value), "the fan speed")) health.fan_percent = value;
  health.max_clocks = read_clocks(api.max_clock, gpu, problems);
  health.ecc = read_ecc(api, gpu, problems);
  return health;
}

}  // namespace seamscope
