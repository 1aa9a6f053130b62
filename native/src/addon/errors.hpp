#pragma once
// The one way from a native Error to a JavaScript one: message, and `nextStep` (and `detail`, when there is one) as
// properties.

#include <napi.h>

#include "base/result.hpp"

namespace seamscope {

inline Napi::Error js_error(Napi::Env env, const Error& error) {
  Napi::Error result = Napi::Error::New(env, error.message);
  result.Set("nextStep", Napi::String::New(env, error.next_step));
  if (!error.detail.empty()) result.Set("detail", Napi::String::New(env, error.detail));
  return result;
}

}  // namespace seamscope
