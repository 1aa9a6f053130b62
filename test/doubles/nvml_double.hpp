#pragma once
// What the parts of NVML's stand-in share. Own declarations of NVML's binary interface, apart from the product's, so
// that a slip there is seen here.

#include <string>

#include "machine.hpp"

namespace doubles::nvml {

constexpr int kSuccess = 0, kUninitialized = 1, kInvalidArgument = 2, kNotSupported = 3, kNoPermission = 4,
              kNotFound = 6, kInsufficientSize = 7, kVersionMismatch = 25;

// A handle is the address of a description; instances are told from GPUs by membership.
struct Target {
  const Gpu* gpu = nullptr;
  const Instance* instance = nullptr;
};

Target target_of(const void* handle);

// 0, or what the call has to answer: NVML is not initialised, the handle is of no device, or an error on demand.
int check(const Target& target, const char* call);

int text_out(const std::string& text, char* out, unsigned length);

}  // namespace doubles::nvml

// Begins a function whose first argument is `handle`.
#define NVML_TARGET(call)                                                \
  const doubles::nvml::Target target = doubles::nvml::target_of(handle); \
  if (const int result = doubles::nvml::check(target, call)) return result
