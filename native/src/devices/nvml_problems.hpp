#pragma once
// Collects what NVML refused for one GPU, one reason a cause: the rest of the GPU's facts stays valid.

#include <string>
#include <vector>

#include "devices/reason.hpp"
#include "drivers/nvml.hpp"

namespace seamscope {

class NvmlProblems {
 public:
  NvmlProblems(const nvml::Api& api, const std::string& gpu, std::vector<Reason>& reasons)
      : api_(api), gpu_(gpu), reasons_(reasons) {}

  // True on success. A call that this GPU or driver does not have is no problem, only absent. To be asked right after
  // the call: the reason's detail names it.
  bool ok(nvml::nvmlReturn_t code, const std::string& subject);
  bool lost() const { return lost_; }

 private:
  const nvml::Api& api_;
  const std::string& gpu_;
  std::vector<Reason>& reasons_;
  bool lost_ = false;
};

}  // namespace seamscope
