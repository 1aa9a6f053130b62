#pragma once
// Physical GPUs and MIG instances as NVML tells them. Handles are read anew each time: they die with their instance.

#include <memory>
#include <mutex>

#include "devices/types.hpp"
#include "drivers/nvml.hpp"

namespace seamscope {

struct NvmlInventory {
  NvmlFacts facts;
  LibraryReport library;
};

// Keeps NVML initialised between reads, until close(). Thread-safe.
class NvmlMonitor {
 public:
  // `kernel_version` is only quoted when kernel module and library differ.
  NvmlInventory read(const std::string& kernel_version);
  void close();

 private:
  std::mutex mutex_;
  std::unique_ptr<nvml::Api> api_;
  std::unique_ptr<nvml::Session> session_;
};

}  // namespace seamscope
