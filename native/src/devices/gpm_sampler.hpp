#pragma once
// How busy the SMs of a MIG instance are, through NVML's GPM: Hopper and later. A figure needs two samples, so the
// first reading of an instance has none and each later one covers the time since the reading before.

#include <map>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "devices/readings.hpp"
#include "drivers/nvml.hpp"

namespace seamscope {

// Must end before its NVML session does.
class GpmSampler {
 public:
  explicit GpmSampler(const nvml::Api& api) : api_(api) {}
  ~GpmSampler();
  GpmSampler(const GpmSampler&) = delete;
  GpmSampler& operator=(const GpmSampler&) = delete;

  // `gpu_key` tells the GPUs apart and outlives their handles.
  DeviceUse use(nvml::nvmlDevice_t gpu, const std::string& gpu_key, unsigned gpu_instance);

  // Gives the samples up that no reading has asked for since the call before: their instances are gone.
  void forget_unused();

 private:
  struct Series {
    nvml::nvmlGpmSample_t sample = nullptr;
    double taken_ms = 0;
    std::optional<double> percent;
    bool used = true;
  };

  std::optional<NotMeasured> why_not(nvml::nvmlDevice_t gpu, const std::string& gpu_key);
  std::optional<double> busy(nvml::nvmlGpmSample_t before, nvml::nvmlGpmSample_t now) const;
  NotMeasured refusal(nvml::nvmlReturn_t code) const;

  const nvml::Api& api_;
  std::map<std::string, std::optional<NotMeasured>> support_;
  std::map<std::string, Series> series_;
};

}  // namespace seamscope
