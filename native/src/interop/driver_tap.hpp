#pragma once
// Counts at the drivers' function tables: every entry is wrapped, so that a host copy, an fd export or an import is
// seen whoever makes it. Process-wide, because the entries are plain function pointers. Not thread-safe: the seam test
// runs its producer and consumer on one thread, or in two processes.

#include <volk.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/cuda_interop.hpp"

namespace seamscope::interop {

enum class CallKind {
  Other,
  HostCopy,      // moves frame bytes between GPU memory and the host
  MemoryExport,  // makes a file descriptor of memory
  MemoryImport,  // adopts one
  SemaphoreExport,
  SemaphoreImport,
};
constexpr size_t kCallKinds = 6;
const char* call_kind_name(CallKind kind);

struct CallCounts {
  std::array<uint64_t, kCallKinds> calls{};  // successful ones only, by kind

  uint64_t of(CallKind kind) const { return calls[static_cast<size_t>(kind)]; }
  uint64_t exports() const { return of(CallKind::MemoryExport) + of(CallKind::SemaphoreExport); }
  uint64_t imports() const { return of(CallKind::MemoryImport) + of(CallKind::SemaphoreImport); }
  CallCounts since(const CallCounts& earlier) const;
};

class DriverTap {
 public:
  static DriverTap& process();

  // Both remember the table they are given and return or leave one whose entries count.
  cuda::InteropApi wrap(const cuda::InteropApi& real);
  static void wrap_vulkan(VolkDeviceTable& table);

  const CallCounts& counts() const { return counts_; }
  // Microseconds of every export and import so far, by kind and the call's name.
  struct Cost {
    std::string call;
    CallKind kind;
    std::vector<float> microseconds;
  };
  const std::vector<Cost>& costs() const { return costs_; }
  void forget_costs() { costs_.clear(); }

  // From now on the n-th call (from 1) through either table is not made and answered with an out-of-memory error; 0
  // turns that off. For tests of every failure path.
  void refuse_call(uint64_t n);
  // Names of all calls from now on are appended here; nullptr ends that.
  void trace_to(std::vector<std::string>* names) { trace_ = names; }
  // The name of the refused call, or empty.
  const std::string& refused() const { return refused_; }

  // The wrapped entries' way in. True when the call must not be made.
  bool enter(const char* name);
  // Keeps a successful call; `microseconds` is its duration.
  void leave(const char* name, CallKind kind, double microseconds);
  void host_copy() { ++counts_.calls[static_cast<size_t>(CallKind::HostCopy)]; }

 private:
  CallCounts counts_;
  std::vector<Cost> costs_;
  uint64_t seen_ = 0, refuse_ = 0;
  std::string refused_;
  std::vector<std::string>* trace_ = nullptr;
};

}  // namespace seamscope::interop
