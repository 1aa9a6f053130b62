#pragma once
// NVML as the engine holds it: initialised with the first reading and kept until close(), so that the next reading is
// cheap. A driver that was replaced or a session that broke is opened anew by the same reading.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "devices/gpm_sampler.hpp"
#include "devices/types.hpp"
#include "drivers/nvml.hpp"

namespace seamscope {

struct NvmlInventory {
  NvmlFacts facts;
  LibraryReport library;
};

// Thread-safe.
class NvmlMonitor {
 public:
  // Everything. `with_links` also asks how the GPUs reach each other. `kernel_version` is only quoted when kernel
  // module and library differ.
  NvmlInventory read(const std::string& kernel_version, bool with_links = false);

  // The changing values only.
  NvmlPoll poll(const std::string& kernel_version);

  // Never waits: while a reading is under way, NVML is closed at its end.
  void close();

 private:
  struct Open {
    nvml::Api api;
    std::unique_ptr<nvml::Session> session;
    std::unique_ptr<GpmSampler> sampler;  // ends before the session
  };

  // Runs `work` with the GPU count, or answers why it could not.
  std::optional<Reason> with_nvml(const std::string& kernel_version, LibraryReport& library,
                                  const std::function<void(Open&, unsigned count)>& work);
  std::optional<Reason> open(const std::string& kernel_version, LibraryReport& library);
  std::optional<Reason> count(unsigned* gpus) const;
  void close_if_wanted();

  std::mutex mutex_;
  std::atomic<bool> close_wanted_{false};
  std::unique_ptr<Open> open_;
};

}  // namespace seamscope
