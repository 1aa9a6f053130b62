#include "drivers/driver_call.hpp"

#include <atomic>

namespace seamscope {
namespace {

std::atomic<const char*> running{nullptr};
thread_local const char* last = "";

}  // namespace

const char* running_driver_call() {
  return running.load(std::memory_order_relaxed);
}

const char* last_driver_call() {
  return last;
}

DriverCallMark::DriverCallMark(const char* name) {
  last = name;
  running.store(name, std::memory_order_relaxed);
}

DriverCallMark::~DriverCallMark() {
  running.store(nullptr, std::memory_order_relaxed);
}

}  // namespace seamscope
