#include "devices/gpm_sampler.hpp"

#include <cmath>
#include <utility>

namespace seamscope {
namespace {

// NVML's own advice: samples closer than this give no figure.
constexpr double kApartMs = 100;
constexpr unsigned kHopper = 9;

const NotMeasured kNotOnThisChip = {
    "not-measurable-on-this-chip", "The use of a MIG instance is not measurable on this chip (Hopper and later only)."};

}  // namespace

GpmSampler::~GpmSampler() {
  for (auto& [key, series] : series_)
    if (series.sample) api_.gpm_free(series.sample);
}

DeviceUse GpmSampler::use(nvml::nvmlDevice_t gpu, const std::string& gpu_key, unsigned gpu_instance) {
  if (auto missing = why_not(gpu, gpu_key)) return {std::nullopt, missing};
  Series& series = series_[gpu_key + "/" + std::to_string(gpu_instance)];
  series.used = true;
  const NotMeasured second = {"needs-second-reading", "The use of a MIG instance is known from the second reading on."};
  const double now = now_ms();
  if (series.sample && now - series.taken_ms < kApartMs)
    return series.percent ? DeviceUse{series.percent, std::nullopt} : DeviceUse{std::nullopt, second};

  nvml::nvmlGpmSample_t sample = nullptr;
  if (const auto code = api_.gpm_alloc(&sample); code != nvml::NVML_SUCCESS) return {std::nullopt, refusal(code)};
  if (const auto code = api_.gpm_mig_sample(gpu, gpu_instance, sample); code != nvml::NVML_SUCCESS) {
    const auto missing = refusal(code);
    api_.gpm_free(sample);
    return {std::nullopt, missing};
  }
  const auto before = std::exchange(series.sample, sample);
  series.taken_ms = now;
  if (!before) return {std::nullopt, second};
  series.percent = busy(before, sample);
  api_.gpm_free(before);
  if (series.percent) return {series.percent, std::nullopt};
  return {std::nullopt, NotMeasured{"failed", "NVML gave no figure for this instance (nvmlGpmMetricsGet)."}};
}

void GpmSampler::forget_unused() {
  for (auto at = series_.begin(); at != series_.end();) {
    const bool gone = !std::exchange(at->second.used, false);
    if (gone && at->second.sample) api_.gpm_free(at->second.sample);
    at = gone ? series_.erase(at) : std::next(at);
  }
}

std::optional<NotMeasured> GpmSampler::why_not(nvml::nvmlDevice_t gpu, const std::string& gpu_key) {
  if (const auto known = support_.find(gpu_key); known != support_.end()) return known->second;
  nvml::nvmlGpmSupport_t support{nvml::kGpmSupportVersion, 0};
  const auto code = api_.gpm_support(gpu, &support);
  std::optional<NotMeasured> answer;
  if (code == nvml::NVML_ERROR_FUNCTION_NOT_FOUND) {
    unsigned architecture = 0;
    const bool measurable = api_.architecture(gpu, &architecture) == nvml::NVML_SUCCESS && architecture >= kHopper;
    answer = kNotOnThisChip;
    if (measurable) answer = {"needs-driver", "This driver cannot measure the use of a MIG instance; newer ones can."};
  } else if (code == nvml::NVML_ERROR_NOT_SUPPORTED || (code == nvml::NVML_SUCCESS && !support.isSupportedDevice)) {
    answer = kNotOnThisChip;
  } else if (code != nvml::NVML_SUCCESS) {
    return refusal(code);
  }
  return support_[gpu_key] = answer;
}

std::optional<double> GpmSampler::busy(nvml::nvmlGpmSample_t before, nvml::nvmlGpmSample_t now) const {
  nvml::nvmlGpmMetricsGet_t request{};
  request.version = nvml::kGpmMetricsVersion;
  request.numMetrics = 1;
  request.sample1 = before;
  request.sample2 = now;
  request.metrics[0].metricId = nvml::kGpmSmUtil;
  if (api_.gpm_metrics(&request) != nvml::NVML_SUCCESS) return std::nullopt;
  const auto& metric = request.metrics[0];
  if (metric.nvmlReturn != nvml::NVML_SUCCESS || !std::isfinite(metric.value)) return std::nullopt;
  return metric.value;
}

NotMeasured GpmSampler::refusal(nvml::nvmlReturn_t code) const {
  const std::string words = std::string(last_driver_call()) + ": " + nvml::result_text(api_, code);
  if (code == nvml::NVML_ERROR_NO_PERMISSION)
    return {"no-permission", "This user may not measure the use of a MIG instance (" + words + ")."};
  if (code == nvml::NVML_ERROR_NOT_SUPPORTED) return kNotOnThisChip;
  return {"failed", "The use of this MIG instance could not be read (" + words + ")."};
}

}  // namespace seamscope
