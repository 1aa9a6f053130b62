#include "interop/driver_tap.hpp"

namespace seamscope::interop {

const char* call_kind_name(CallKind kind) {
  constexpr const char* kNames[kCallKinds] = {"other",        "hostCopy",        "memoryExport",
                                              "memoryImport", "semaphoreExport", "semaphoreImport"};
  return kNames[static_cast<size_t>(kind)];
}

CallCounts CallCounts::since(const CallCounts& earlier) const {
  CallCounts difference;
  for (size_t i = 0; i < kCallKinds; ++i) difference.calls[i] = calls[i] - earlier.calls[i];
  return difference;
}

DriverTap& DriverTap::process() {
  static DriverTap tap;
  return tap;
}

void DriverTap::refuse_call(uint64_t n) {
  seen_ = 0;
  refuse_ = n;
  refused_.clear();
}

bool DriverTap::enter(const char* name) {
  ++seen_;
  if (trace_) trace_->emplace_back(name);
  if (refuse_ == 0 || seen_ != refuse_) return false;
  refused_ = name;
  return true;
}

void DriverTap::leave(const char* name, CallKind kind, double microseconds) {
  ++counts_.calls[static_cast<size_t>(kind)];
  if (kind == CallKind::Other || kind == CallKind::HostCopy) return;
  for (auto& cost : costs_) {
    if (cost.call != name || cost.kind != kind) continue;
    cost.microseconds.push_back(static_cast<float>(microseconds));
    return;
  }
  costs_.push_back({name, kind, {static_cast<float>(microseconds)}});
}

}  // namespace seamscope::interop
