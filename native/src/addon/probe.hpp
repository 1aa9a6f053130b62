#pragma once
// probe, nvml and nvmlClose: the device half of the addon.

#include <napi.h>

namespace seamscope {

void RegisterProbe(Napi::Env env, Napi::Object exports);

}  // namespace seamscope
