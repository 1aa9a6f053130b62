#include "devices/nvml_monitor.hpp"

#include <time.h>

#include "base/clock.hpp"
#include "devices/gpu_poll.hpp"
#include "devices/nvml_inventory.hpp"
#include "devices/nvml_links.hpp"
#include "devices/nvml_problems.hpp"

namespace seamscope {
namespace {

using nvml::Api;
using nvml::nvmlReturn_t;

Reason init_reason(const Api& api, nvmlReturn_t code, const std::string& kernel_version) {
  const std::string text = nvml::result_text(api, code), user = api.library.version();
  const std::string call = last_driver_call() + (": " + text);
  if (code == nvml::NVML_ERROR_LIB_RM_VERSION_MISMATCH) {
    const std::string unknown = "version unknown";
    return make_reason(ReasonCode::NvmlDriverMismatch,
                       {kernel_version.empty() ? unknown : kernel_version, user.empty() ? unknown : user}, call);
  }
  if (code == nvml::NVML_ERROR_NO_PERMISSION)
    return make_reason(ReasonCode::NvmlNoPermission, {"the GPUs of this machine"}, call);
  return make_reason(ReasonCode::NvmlInitFailed, {text}, call);
}

double thread_cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

void read_version(const Api& api, NvmlFacts& facts) {
  char text[nvml::kTextBytes] = "";
  std::vector<Reason> reasons;
  const std::string subject = "the driver";
  NvmlProblems problems(api, subject, reasons);
  if (problems.ok(api.driver_version(text, sizeof text), "the driver version")) facts.driver_version = text;
  for (auto& reason : reasons)
    if (!facts.gpus.empty()) facts.gpus.front().problems.push_back(std::move(reason));
}

}  // namespace

NvmlInventory NvmlMonitor::read(const std::string& kernel_version, bool with_links) {
  NvmlInventory inventory;
  NvmlFacts& facts = inventory.facts;
  facts.reason = with_nvml(kernel_version, inventory.library, [&](Open& nvml, unsigned count) {
    for (unsigned index = 0; index < count; ++index) facts.gpus.push_back(describe_gpu(nvml.api, index, *nvml.sampler));
    read_version(nvml.api, facts);
    if (with_links) facts.links = read_links(nvml.api, facts.gpus);
  });
  facts.available = !facts.reason;
  return inventory;
}

NvmlPoll NvmlMonitor::poll(const std::string& kernel_version) {
  NvmlPoll poll;
  LibraryReport library;
  const double cpu = thread_cpu_ms(), wall = now_ms();
  poll.reason = with_nvml(kernel_version, library, [&](Open& nvml, unsigned count) {
    for (unsigned index = 0; index < count; ++index) poll.gpus.push_back(poll_gpu(nvml.api, index, *nvml.sampler));
    nvml.sampler->forget_unused();
  });
  poll.available = !poll.reason;
  poll.generation = generation_of(poll.gpus);
  poll.cpu_ms = thread_cpu_ms() - cpu;
  poll.wall_ms = now_ms() - wall;
  return poll;
}

void NvmlMonitor::close() {
  close_wanted_ = true;
  close_if_wanted();
}

void NvmlMonitor::close_if_wanted() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock && close_wanted_.exchange(false)) open_.reset();
}

std::optional<Reason> NvmlMonitor::with_nvml(const std::string& kernel_version, LibraryReport& library,
                                             const std::function<void(Open&, unsigned)>& work) {
  std::optional<Reason> reason;
  {
    const std::lock_guard lock(mutex_);
    unsigned gpus = 0;
    // A session that no longer counts its GPUs is of a driver that went away: one new try.
    for (const bool again : {false, true}) {
      const bool fresh = !open_;
      reason = open(kernel_version, library);
      if (!reason) reason = count(&gpus);
      if (!reason || fresh || again) break;
      open_.reset();
    }
    if (!reason)
      work(*open_, gpus);
    else
      open_.reset();
  }
  if (close_wanted_) close_if_wanted();
  return reason;
}

std::optional<Reason> NvmlMonitor::open(const std::string& kernel_version, LibraryReport& library) {
  library.name = "libnvidia-ml.so.1";
  if (!open_) {
    auto loaded = nvml::load();
    if (!loaded) {
      library.error = loaded.error().damaged ? loaded.error().message : loaded.error().detail;
      return library_reason(ReasonCode::NvmlLibraryMissing, loaded.error());
    }
    open_ = std::make_unique<Open>();
    open_->api = std::move(*loaded);
  }
  library.path = open_->api.library.path();
  library.version = open_->api.library.version();
  library.passed_over = open_->api.library.passed_over();
  if (open_->session) return std::nullopt;
  nvmlReturn_t code = nvml::NVML_SUCCESS;
  open_->session = std::make_unique<nvml::Session>(open_->api, &code);
  open_->sampler = std::make_unique<GpmSampler>(open_->api);
  if (code == nvml::NVML_SUCCESS) return std::nullopt;
  return init_reason(open_->api, code, kernel_version);
}

std::optional<Reason> NvmlMonitor::count(unsigned* gpus) const {
  const auto code = open_->api.device_count(gpus);
  if (code == nvml::NVML_SUCCESS) return std::nullopt;
  const std::string words = nvml::result_text(open_->api, code);
  return make_reason(ReasonCode::NvmlCallFailed, {"the number of GPUs", words}, last_driver_call() + (": " + words));
}

}  // namespace seamscope
