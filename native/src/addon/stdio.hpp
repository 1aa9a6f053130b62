#pragma once
// takeStdout: keeps the real stdout for the packet stream, whatever a driver prints.

#include <napi.h>

namespace seamscope {

void RegisterStdio(Napi::Env env, Napi::Object exports);

}  // namespace seamscope
