#include "devices/nvml_problems.hpp"

namespace seamscope {

bool NvmlProblems::ok(nvml::nvmlReturn_t code, const std::string& subject) {
  if (code == nvml::NVML_SUCCESS) return true;
  if (code == nvml::NVML_ERROR_NOT_SUPPORTED || code == nvml::NVML_ERROR_FUNCTION_NOT_FOUND) return false;
  const std::string words = nvml::result_text(api_, code), call = last_driver_call() + (": " + words);
  if (code == nvml::NVML_ERROR_GPU_IS_LOST || code == nvml::NVML_ERROR_RESET_REQUIRED) {
    if (!lost_) reasons_.push_back(make_reason(ReasonCode::GpuLost, {gpu_}, call));
    lost_ = true;
  } else if (code == nvml::NVML_ERROR_NO_PERMISSION) {
    reasons_.push_back(make_reason(ReasonCode::NvmlNoPermission, {subject}, call));
  } else {
    reasons_.push_back(make_reason(ReasonCode::NvmlCallFailed, {subject, words}, call));
  }
  return false;
}

}  // namespace seamscope
