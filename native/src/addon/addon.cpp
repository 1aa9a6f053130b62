// The addon's export list. Types are written down in helper/protocol/addon.ts.

#include <napi.h>

#include "addon/build_info.hpp"
#include "addon/preview.hpp"
#include "addon/probe.hpp"
#include "addon/seamtest.hpp"
#include "addon/stdio.hpp"

namespace seamscope {

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("protocolVersion", Napi::Number::New(env, kProtocolVersion));
  exports.Set("buildInfo", Napi::String::New(env, build_info()));
  exports.Set("buildId", Napi::String::New(env, build_id()));
  RegisterProbe(env, exports);
  RegisterPreview(env, exports);
  RegisterSeamTest(env, exports);
  RegisterStdio(env, exports);
  return exports;
}

NODE_API_MODULE(seamscope, Init)

}  // namespace seamscope
