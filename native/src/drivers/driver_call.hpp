#pragma once
// A driver's entry point that knows its own name: what a driver refuses or never returns from can be named.

#include "base/dynamic_library.hpp"

namespace seamscope {

// The driver call that some thread of this process is in now; nullptr when none is. One name for the process: the
// inventories call drivers one at a time. Safe to read in a signal handler.
const char* running_driver_call();

// The call that this thread made last; "" before the first.
const char* last_driver_call();

// Sets both for its lifetime.
class DriverCallMark {
 public:
  explicit DriverCallMark(const char* name);
  ~DriverCallMark();
  DriverCallMark(const DriverCallMark&) = delete;
  DriverCallMark& operator=(const DriverCallMark&) = delete;
};

template <typename Signature>
class DriverCall;

template <typename Result, typename... Arguments>
class DriverCall<Result(Arguments...)> {
 public:
  // False when the library lacks the symbol; calls then answer `absent` without any effect.
  bool bind(const DynamicLibrary& library, const char* symbol, Result absent) {
    name_ = symbol;
    absent_ = absent;
    return library.load(symbol, function_);
  }
  explicit operator bool() const { return function_ != nullptr; }

  Result operator()(Arguments... arguments) const {
    const DriverCallMark mark(name_);
    return function_ ? function_(arguments...) : absent_;
  }

 private:
  const char* name_ = "";
  Result absent_{};
  Result (*function_)(Arguments...) = nullptr;
};

}  // namespace seamscope
