#pragma once
// The preview half of the addon: openScene and the objects it returns.

#include <napi.h>

namespace seamscope {

void RegisterPreview(Napi::Env env, Napi::Object exports);

}  // namespace seamscope
