#include "devices/mig_walk.hpp"

namespace seamscope {

MigMode read_mig_mode(const nvml::Api& api, nvml::nvmlDevice_t gpu, NvmlProblems& problems) {
  unsigned current = 0, pending = 0;
  if (problems.lost() || !problems.ok(api.mig_mode(gpu, &current, &pending), "the MIG mode")) return {};
  return {true, current == nvml::kDeviceMigEnabled, pending == nvml::kDeviceMigEnabled};
}

void for_each_instance(const nvml::Api& api, nvml::nvmlDevice_t gpu, NvmlProblems& problems,
                       const std::function<void(nvml::nvmlDevice_t, unsigned)>& visit) {
  unsigned slots = 0;
  if (!problems.ok(api.max_mig_count(gpu, &slots), "the number of MIG instances")) return;
  for (unsigned index = 0; index < slots && !problems.lost(); ++index) {
    nvml::nvmlDevice_t mig = nullptr;
    const auto code = api.mig_by_index(gpu, index, &mig);
    if (code == nvml::NVML_ERROR_NOT_FOUND) continue;  // a hole: later slots may be in use
    if (problems.ok(code, "MIG instance " + std::to_string(index))) visit(mig, index);
  }
}

}  // namespace seamscope
